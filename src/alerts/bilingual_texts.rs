//! Tables of texts in both languages, one row a text.

/// Declares a struct of texts, and its function `of`, which returns the texts of a language. A row has
/// the name and type of a text, then the English and the French one.
macro_rules! bilingual_texts {
    (
        $(#[$about:meta])* $visibility:vis struct $texts:ident;
        $($(#[$doc:meta])* $name:ident: $type:ty = $english:expr, $french:expr;)*
    ) => {
        $(#[$about])*
        $visibility struct $texts {
            $($(#[$doc])* pub(super) $name: $type,)*
        }

        impl $texts {
            $visibility fn of(locale: $crate::state::subscription::Locale) -> &'static $texts {
                static ENGLISH: $texts = $texts { $($name: $english,)* };
                static FRENCH: $texts = $texts { $($name: $french,)* };
                match locale {
                    $crate::state::subscription::Locale::En => &ENGLISH,
                    $crate::state::subscription::Locale::Fr => &FRENCH,
                }
            }
        }
    };
}

pub(super) use bilingual_texts;
