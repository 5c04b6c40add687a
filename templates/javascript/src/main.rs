//! Runs `bot.js`. The script reads lines with `readLine()`, which gives `null` at the end of the input, and writes with `print(text)`.

use std::io::{self, BufRead, Write};

use rquickjs::{CatchResultExt, Context, Function, Runtime};

fn main() {
    let runtime = Runtime::new().expect("there is memory");
    let context = Context::full(&runtime).expect("there is memory");
    let result = context.with(|context| -> Result<(), String> {
        let globals = context.globals();
        let read_line = || io::stdin().lock().lines().next().and_then(Result::ok);
        let print = |text: String| {
            // Nobody reads the output of a match that is over.
            let _ = writeln!(io::stdout(), "{text}");
        };
        let set = || {
            globals.set("readLine", Function::new(context.clone(), read_line)?)?;
            globals.set("print", Function::new(context.clone(), print)?)?;
            context.eval::<(), _>(include_str!("../bot.js"))
        };
        set().catch(&context).map_err(|e| e.to_string())
    });
    if let Err(error) = result {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
