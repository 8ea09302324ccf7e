//! Reads from the syntax trees how long functions are, and which of them are handlers of endpoints.

use std::{fs, path::Path};

use syn::{
    Attribute, Block, FnArg, ImplItemFn, ItemFn, ItemMod, ReturnType, Signature, TraitItemFn, Type,
    visit::{self, Visit},
};

use super::imports::is_test_only;

/// A function of `src` with a body.
pub struct Function {
    pub name: String,
    /// From `fn` to the closing brace.
    pub lines: usize,
    /// Whether it has the signature of an endpoint's handler.
    pub is_handler: bool,
}

/// The functions of one file, without tests.
pub fn functions_of(module: &str, path: &Path) -> Vec<Function> {
    let syntax = syn::parse_file(&fs::read_to_string(path).unwrap()).unwrap();
    let mut visitor = Visitor {
        module,
        functions: Vec::new(),
    };
    visitor.visit_file(&syntax);
    visitor.functions
}

struct Visitor<'a> {
    module: &'a str,
    functions: Vec<Function>,
}

impl Visitor<'_> {
    fn add(&mut self, attributes: &[Attribute], signature: &Signature, block: &Block) {
        if is_test_only(attributes) {
            return;
        }
        let (first, last) = (signature.fn_token.span.start(), block.brace_token.span.close().end());
        self.functions.push(Function {
            name: format!("{}::{}", self.module, signature.ident),
            lines: last.line - first.line + 1,
            is_handler: is_handler(signature),
        });
    }
}

/// Whether it takes a `Call` and parts of a path, and returns work.
fn is_handler(signature: &Signature) -> bool {
    let types: Vec<String> = signature.inputs.iter().map(type_name).collect();
    let are_parts_of_path = types
        .iter()
        .skip(1)
        .all(|name| name == "String" || name == "EntityType");
    let returns_work = match &signature.output {
        ReturnType::Type(_, returned) => is_result_of_work(returned),
        ReturnType::Default => false,
    };
    types.first().is_some_and(|name| name == "Call") && are_parts_of_path && returns_work
}

fn is_result_of_work(returned: &Type) -> bool {
    let Type::Path(path) = returned else { return false };
    let result = path.path.segments.last().unwrap();
    let syn::PathArguments::AngleBracketed(arguments) = &result.arguments else {
        return false;
    };
    let works = arguments.args.iter().filter(|argument| match argument {
        syn::GenericArgument::Type(Type::Path(path)) => path.path.is_ident("Work"),
        _ => false,
    });
    result.ident == "Result" && works.count() == 1
}

/// The last name of an argument's type, without references.
fn type_name(argument: &FnArg) -> String {
    let FnArg::Typed(typed) = argument else {
        return String::new();
    };
    let mut of = &*typed.ty;
    while let Type::Reference(reference) = of {
        of = &reference.elem;
    }
    match of {
        Type::Path(path) => path.path.segments.last().unwrap().ident.to_string(),
        _ => String::new(),
    }
}

impl<'ast> Visit<'ast> for Visitor<'_> {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if !is_test_only(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.add(&item.attrs, &item.sig, &item.block);
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.add(&item.attrs, &item.sig, &item.block);
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        if let Some(block) = &item.default {
            self.add(&item.attrs, &item.sig, block);
        }
        visit::visit_trait_item_fn(self, item);
    }
}
