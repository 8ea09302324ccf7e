pub mod decode; pub mod text;
