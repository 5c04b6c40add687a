//! Joins a module with all modules that it imports, and a style sheet with those that it imports, so that a page needs one
//! request for each. Below a version (`/web/v.HASH/`) they are served like this; the files themselves stay as they are.
//!
//! It knows the form of the project's own modules, no other: `import` and `export` begin a line, and end with `;` unless
//! they declare something. A test joins every file.

use std::collections::HashMap;
use std::fmt::Write;

/// The path of the modules of all pages, as boards import them.
const ROOT: &str = "/web/";

/// Joins the module at `path`. `read`: the text of the file at a path below `/web/`. A file without imports and exports
/// keeps its form: it may be a script that is not a module.
///
/// # Errors
/// If a file is missing, imports in a circle, or has another form: the text says which.
pub(in crate::web) fn join(path: &str, read: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut joiner = Joiner { read, out: String::new(), known: HashMap::new(), count: 0 };
    let entry = joiner.add(path)?;
    let Some(WrittenModule { number, exports }) = entry else { return Ok(joiner.out) };
    if !exports.is_empty() {
        let _ = writeln!(joiner.out, "export const {{ {} }} = m{number};", exports.join(", "));
    }
    Ok(joiner.out)
}

/// Joins the style sheet at `path` with those of its folder that it imports, without comments and indentation. An import is a line of its
/// own. `read`: as for modules.
///
/// # Errors
/// If a file is missing, or an imported one imports others: the text says which.
pub(in crate::web) fn join_styles(
    path: &str,
    read: &dyn Fn(&str) -> Option<String>,
) -> Result<String, String> {
    let text =
        |path: &str| read(path).map(|text| compact(&text)).ok_or_else(|| format!("there is no file {path}"));
    let mut out = String::new();
    for line in text(path)?.lines() {
        let Some(name) = imported_style(line) else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        let from = resolved(path, &format!("./{name}")).unwrap_or_default();
        let part = text(&from)?;
        if part.lines().any(|line| imported_style(line).is_some()) {
            return Err(format!("{from} imports other style sheets"));
        }
        out.push_str(&part);
    }
    Ok(out)
}

fn imported_style(line: &str) -> Option<&str> {
    line.strip_prefix("@import \"")?.strip_suffix("\";")
}

/// A module that has been written.
#[derive(Clone)]
struct WrittenModule {
    number: usize,
    exports: Vec<String>,
}

struct Joiner<'a> {
    read: &'a dyn Fn(&str) -> Option<String>,
    out: String,
    /// `None`: the module is being written.
    known: HashMap<String, Option<WrittenModule>>,
    /// How many modules have been written.
    count: usize,
}

impl Joiner<'_> {
    /// Writes the module at `path` after those that it imports; `None` for a script without imports and exports.
    fn add(&mut self, path: &str) -> Result<Option<WrittenModule>, String> {
        match self.known.get(path) {
            Some(Some(done)) => return Ok(Some(done.clone())),
            Some(None) => return Err(format!("{path} imports itself through other modules")),
            None => {}
        }
        self.known.insert(path.to_owned(), None);
        let text = (self.read)(path).ok_or_else(|| format!("there is no file {path}"))?;
        let text = compact(&text);
        let mut module = Module::default();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            let mut statement = line.to_owned();
            if ["import ", "export {", "export *"].iter().any(|begin| line.starts_with(begin)) {
                while !statement.ends_with(';') {
                    let next =
                        lines.next().ok_or_else(|| format!("{path} has an endless statement: {line}"))?;
                    statement.push(' ');
                    statement.push_str(next.trim());
                }
            }
            self.statement(path, &statement, &mut module)?;
        }
        if module.imports == 0 && module.exports.is_empty() {
            self.out.push_str(&module.body);
            return Ok(None);
        }
        self.count += 1;
        let number = self.count;
        let returned: Vec<_> =
            module.exports.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let (body, returned) = (module.body, returned.join(", "));
        let _ = writeln!(self.out, "const m{number} = (() => {{\n{body}return {{ {returned} }};\n}})();");
        let done =
            WrittenModule { number, exports: module.exports.into_iter().map(|(name, _)| name).collect() };
        self.known.insert(path.to_owned(), Some(done.clone()));
        Ok(Some(done))
    }

    /// Adds a statement to the module at `path`, or a line of one that neither imports nor exports.
    fn statement(&mut self, path: &str, text: &str, module: &mut Module) -> Result<(), String> {
        let odd = || format!("{path}: this form is not known: {text}");
        if let Some(rest) = text.strip_prefix("import ") {
            module.imports += 1;
            let (names, from) = match rest.split_once(" from ") {
                Some((names, from)) => (names.trim(), from),
                None => ("", rest),
            };
            let from = self.imported(path, from).ok_or_else(odd)??;
            let names = match names.strip_prefix("* as ") {
                Some(name) => name.to_owned(),
                None => names.replace(" as ", ": "),
            };
            if !names.is_empty() {
                let _ = writeln!(module.body, "const {names} = m{from};");
            }
        } else if let Some(rest) = text.strip_prefix("export {") {
            let (names, from) = rest.split_once('}').ok_or_else(odd)?;
            let from = match from.trim().strip_prefix("from ") {
                Some(from) => format!("m{}.", self.imported(path, from).ok_or_else(odd)??),
                None => String::new(),
            };
            for name in names.split(',').map(str::trim).filter(|name| !name.is_empty()) {
                let (inner, outer) = name.split_once(" as ").unwrap_or((name, name));
                module.exports.push((outer.to_owned(), format!("{from}{inner}")));
            }
        } else if let Some(declared) = text.strip_prefix("export ") {
            let kinds =
                ["function* ", "function ", "async function* ", "async function ", "class ", "const "];
            let rest = kinds.iter().find_map(|kind| declared.strip_prefix(kind)).ok_or_else(odd)?;
            let name: String =
                rest.chars().take_while(|c| c.is_alphanumeric() || "_$".contains(*c)).collect();
            if name.is_empty() {
                return Err(odd());
            }
            module.exports.push((name.clone(), name));
            let _ = writeln!(module.body, "{declared}");
        } else {
            let _ = writeln!(module.body, "{text}");
        }
        Ok(())
    }

    /// The number of the module that `path` imports as `from`, in quotes; `None`: it is no path.
    fn imported(&mut self, path: &str, from: &str) -> Option<Result<usize, String>> {
        let from = from.trim().strip_suffix(';')?.strip_prefix('\'')?.strip_suffix('\'')?;
        let found = self.add(&resolved(path, from)?);
        Some(found.map(|done| done.map_or(0, |done| done.number)))
    }
}

/// A module while it is read: how much it imports, what it exports, by name and value, and its other lines.
#[derive(Default)]
struct Module {
    imports: usize,
    exports: Vec<(String, String)>,
    body: String,
}

/// The path below `/web/` of what the file at `path` imports as `from`.
fn resolved(path: &str, from: &str) -> Option<String> {
    if let Some(path) = from.strip_prefix(ROOT) {
        return Some(path.to_owned());
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in from.split('/') {
        match part {
            "." => {}
            ".." => _ = parts.pop()?,
            part => parts.push(part),
        }
    }
    from.starts_with('.').then(|| parts.join("/"))
}

/// The text without comments that fill lines, a third of the bytes, and without indentation, which is 2% of what is sent. Of a
/// comment before code on the same line, only the comment goes. The lines of a template literal lose their indentation, too.
fn compact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut inside = false;
    for line in text.lines() {
        let mut rest = line;
        let begin = line.trim_start();
        if !inside && begin.starts_with("//") {
            continue;
        }
        if inside || begin.starts_with("/*") {
            let Some((_, after)) = rest.split_once("*/") else {
                inside = true;
                continue;
            };
            inside = false;
            rest = after;
        }
        if !rest.trim().is_empty() {
            out.push_str(rest.trim_start());
            out.push('\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(files: &[(&str, &str)]) -> Result<String, String> {
        let read =
            |path: &str| files.iter().find(|(name, _)| *name == path).map(|(_, text)| (*text).to_owned());
        join(files[0].0, &read)
    }

    #[test]
    fn imports_come_first_and_once() {
        let files = [
            (
                "js/a.js",
                "import { b as other,\n  c } from './b.js';\nimport './c.js';\nexport const a = other;\n",
            ),
            (
                "js/b.js",
                "// Says b.\nimport * as all from '/web/js/c.js';\nexport { c } from './c.js';\nconst b = 1;\nexport { b };\n",
            ),
            ("js/c.js", "/** C. */\nexport async function c() {}\nexport async function* each() {}\n"),
        ];
        let text = joined(&files).unwrap();
        assert_eq!(text.matches("async function c").count(), 1, "{text}");
        assert!(text.find("async function c") < text.find("const b = 1"), "{text}");
        assert!(text.ends_with("export const { a } = m3;\n"), "{text}");
        assert!(!text.contains("Says b") && !text.contains("C. */"), "{text}");
    }

    #[test]
    fn circles_gaps_and_unknown_forms_are_refused() {
        let circle = [("a.js", "import { b } from './b.js';"), ("b.js", "import { a } from './a.js';")];
        assert!(joined(&circle).unwrap_err().contains("itself"));
        assert!(joined(&[("a.js", "import { b } from './b.js';")]).unwrap_err().contains("b.js"));
        for odd in ["export default 1;", "export let a = 1;", "import a from 'b';", "export const { a } = b;"]
        {
            assert!(joined(&[("a.js", odd)]).is_err(), "{odd}");
        }
    }

    #[test]
    fn imported_styles_stand_in_place_of_the_import() {
        let joined = |part: &'static str| {
            join_styles("web/a.css", &|path: &str| match path {
                "web/a.css" => Some("/* A. */\n@import \"b.css\";\n.a { color: red; }\n".to_owned()),
                "web/b.css" => Some(part.to_owned()),
                _ => None,
            })
        };
        assert_eq!(
            joined("/* B. */\n.b {\n  top: 0;\n}\n").unwrap(),
            ".b {\ntop: 0;\n}\n.a { color: red; }\n"
        );
        assert!(joined("@import \"c.css\";\n").unwrap_err().contains("web/b.css"));
        assert!(join_styles("a.css", &|_| None).unwrap_err().contains("a.css"));
    }

    #[test]
    fn script_without_imports_keeps_its_form() {
        assert_eq!(joined(&[("theme.js", "// Theme.\n(() => {\n})();\n")]).unwrap(), "(() => {\n})();\n");
    }
}
