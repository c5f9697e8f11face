//! Pages that other programs read: the schema, completions, manual pages.

use crate::args::Args;
use crate::failure::Failure;
use crate::out::Out;
use clap::CommandFactory;
use clap_complete::Shell;
use hooke_scene::json::description;
use hooke_scene::words::hint;

/// `hooke schema`.
pub(crate) fn schema(markdown: bool, out: &mut Out) -> Result<(), Failure> {
    if markdown {
        return out.result(&hooke_scene::page());
    }
    out.result(&description(&hooke_scene::schema()))
}

/// `hooke completions`.
pub(crate) fn completions(shell: Shell, out: &mut Out) -> Result<(), Failure> {
    let mut bytes = Vec::new();
    clap_complete::generate(shell, &mut Args::command(), "hooke", &mut bytes);
    out.result(&String::from_utf8_lossy(&bytes))
}

/// `hooke man`.
pub(crate) fn man(name: Option<&str>, out: &mut Out) -> Result<(), Failure> {
    let mut command = Args::command();
    command.build();
    if let Some(name) = name {
        let found = command.get_subcommands().find(|command| command.get_name() == name).cloned();
        let Some(found) = found else {
            let names = command.get_subcommands().map(|command| command.get_name());
            let hint = hint(name, names);
            return Err(Failure::Usage(format!("there is no command {name}{hint}")));
        };
        command = found;
    }
    let mut bytes = Vec::new();
    clap_mangen::Man::new(command).render(&mut bytes)?;
    out.result(&String::from_utf8_lossy(&bytes))
}
