use super::places::{Os, Places};
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// A program that starts MCP servers from a file of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Host {
    /// Claude Desktop.
    ClaudeDesktop,
    /// Claude Code.
    ClaudeCode,
    /// Cursor.
    Cursor,
    /// Visual Studio Code.
    VsCode,
    /// Zed.
    Zed,
    /// Windsurf.
    Windsurf,
    /// Codex.
    Codex,
    /// Gemini CLI.
    GeminiCli,
    /// Goose.
    Goose,
    /// Cline.
    Cline,
    /// Roo Code.
    Roo,
    /// opencode.
    OpenCode,
}

/// Whose file is meant: the user's, or the project's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The user's own file, for every project.
    User,
    /// The project's file, which may be committed with it.
    Workspace,
}

/// How a host's file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// JSON with nothing more: the host itself refuses a comment.
    Json,
    /// JSON with comments and trailing commas.
    Jsonc,
    /// TOML.
    Toml,
    /// YAML.
    Yaml,
}

/// How a host's entry spells command, arguments and environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `command`, `args`, `env`.
    Plain,
    /// The same with `type: stdio`.
    Typed,
    /// One `command` array, `type: local`, `environment`.
    OpenCode,
    /// `cmd`, `args`, `envs`, `type: stdio`, `name`.
    Goose,
}

/// A name that no host has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no host is called {given:?}; {hint}")]
pub struct UnknownHost {
    /// The name as given.
    pub given: String,
    hint: String,
}

/// A scope that the host has no file for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} has no {scope} file for servers, only the {} one", host.title(), host.scopes()[0])]
pub struct NoSuchScope {
    /// The host.
    pub host: Host,
    /// The scope it lacks.
    pub scope: Scope,
}

impl Host {
    /// Every host, in the order in which they are listed.
    pub const ALL: &[Self] = &[
        Self::ClaudeDesktop,
        Self::ClaudeCode,
        Self::Cursor,
        Self::VsCode,
        Self::Zed,
        Self::Windsurf,
        Self::Codex,
        Self::GeminiCli,
        Self::Goose,
        Self::Cline,
        Self::Roo,
        Self::OpenCode,
    ];

    /// Returns the name to type, such as `claude-desktop`.
    pub const fn id(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "claude-desktop",
            Self::ClaudeCode => "claude-code",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Zed => "zed",
            Self::Windsurf => "windsurf",
            Self::Codex => "codex",
            Self::GeminiCli => "gemini-cli",
            Self::Goose => "goose",
            Self::Cline => "cline",
            Self::Roo => "roo",
            Self::OpenCode => "opencode",
        }
    }

    /// Returns the name to read, such as `Claude Desktop`.
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "Claude Desktop",
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Zed => "Zed",
            Self::Windsurf => "Windsurf",
            Self::Codex => "Codex",
            Self::GeminiCli => "Gemini CLI",
            Self::Goose => "Goose",
            Self::Cline => "Cline",
            Self::Roo => "Roo Code",
            Self::OpenCode => "opencode",
        }
    }

    /// Returns the scopes that the host has a file for, the user's first.
    pub const fn scopes(self) -> &'static [Scope] {
        match self {
            Self::ClaudeDesktop | Self::Windsurf | Self::Goose | Self::Cline => &[Scope::User],
            _ => &[Scope::User, Scope::Workspace],
        }
    }

    /// Returns how the host's file is written.
    pub const fn format(self) -> Format {
        match self {
            Self::ClaudeDesktop | Self::ClaudeCode | Self::Cline | Self::Roo => Format::Json,
            Self::Cursor | Self::VsCode | Self::Zed | Self::Windsurf | Self::GeminiCli | Self::OpenCode => {
                Format::Jsonc
            }
            Self::Codex => Format::Toml,
            Self::Goose => Format::Yaml,
        }
    }

    /// Returns the key below which the host's servers stand.
    pub const fn key(self) -> &'static str {
        match self {
            Self::VsCode => "servers",
            Self::Zed => "context_servers",
            Self::Codex => "mcp_servers",
            Self::Goose => "extensions",
            Self::OpenCode => "mcp",
            _ => "mcpServers",
        }
    }

    /// Returns the files that the host reads, the usual one first. Nothing is looked up.
    ///
    /// Where a user moved a host's folder by the host's own means (`CODEX_HOME`, `CLAUDE_CONFIG_DIR`, a profile of VS
    /// Code), the file is another one: set [`Target::file`](super::Target::file) then.
    ///
    /// # Errors
    /// When the host has no file for that scope.
    pub fn files(self, scope: Scope, places: &Places) -> Result<Vec<PathBuf>, NoSuchScope> {
        match scope {
            Scope::User => Ok(self.user_files(places)),
            Scope::Workspace => {
                let files = self.workspace_files();
                if files.is_empty() {
                    return Err(NoSuchScope { host: self, scope });
                }
                Ok(files
                    .iter()
                    .map(|file| file.split('/').fold(places.workspace.clone(), |at, part| at.join(part)))
                    .collect())
            }
        }
    }

    /// Returns the host's file: the first one that exists, else the usual one.
    ///
    /// # Errors
    /// When the host has no file for that scope.
    pub fn file(self, scope: Scope, places: &Places) -> Result<PathBuf, NoSuchScope> {
        let mut files = self.files(scope, places)?;
        let found = files.iter().position(|file| file.symlink_metadata().is_ok()).unwrap_or(0);
        Ok(files.swap_remove(found))
    }

    pub(super) const fn shape(self) -> Shape {
        match self {
            Self::ClaudeCode | Self::VsCode => Shape::Typed,
            Self::OpenCode => Shape::OpenCode,
            Self::Goose => Shape::Goose,
            _ => Shape::Plain,
        }
    }

    fn user_files(self, places: &Places) -> Vec<PathBuf> {
        let Places { home, config, .. } = places;
        let code = || config.join("Code").join("User");
        let storage = |id: &str| code().join("globalStorage").join(id).join("settings");
        match self {
            Self::ClaudeDesktop => vec![config.join("Claude").join("claude_desktop_config.json")],
            Self::ClaudeCode => vec![home.join(".claude.json")],
            Self::Cursor => vec![home.join(".cursor").join("mcp.json")],
            Self::VsCode => vec![code().join("mcp.json")],
            Self::Zed => vec![
                match places.os {
                    Os::Windows => config.join("Zed"),
                    Os::Linux | Os::MacOs => places.dot_config().join("zed"),
                }
                .join("settings.json"),
            ],
            Self::Windsurf => vec![home.join(".codeium").join("windsurf").join("mcp_config.json")],
            Self::Codex => vec![home.join(".codex").join("config.toml")],
            Self::GeminiCli => vec![home.join(".gemini").join("settings.json")],
            Self::Goose => vec![
                match places.os {
                    Os::Windows => config.join("Block").join("goose").join("config"),
                    Os::Linux | Os::MacOs => places.dot_config().join("goose"),
                }
                .join("config.yaml"),
            ],
            // The editor's extension and the command-line program keep a file each.
            Self::Cline => vec![
                storage("saoudrizwan.claude-dev").join("cline_mcp_settings.json"),
                home.join(".cline").join("data").join("settings").join("cline_mcp_settings.json"),
            ],
            Self::Roo => vec![storage("rooveterinaryinc.roo-cline").join("mcp_settings.json")],
            Self::OpenCode => {
                ["opencode.json", "opencode.jsonc"].map(|name| places.dot_config().join("opencode").join(name)).to_vec()
            }
        }
    }

    const fn workspace_files(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeDesktop | Self::Windsurf | Self::Goose | Self::Cline => &[],
            Self::ClaudeCode => &[".mcp.json"],
            Self::Cursor => &[".cursor/mcp.json"],
            Self::VsCode => &[".vscode/mcp.json"],
            Self::Zed => &[".zed/settings.json"],
            Self::Codex => &[".codex/config.toml"],
            Self::GeminiCli => &[".gemini/settings.json"],
            Self::Roo => &[".roo/mcp.json"],
            Self::OpenCode => &["opencode.json", "opencode.jsonc"],
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl FromStr for Host {
    type Err = UnknownHost;

    fn from_str(given: &str) -> Result<Self, UnknownHost> {
        let wanted = plain(given);
        let is_it = |host: &&Self| plain(host.id()) == wanted || plain(host.title()) == wanted;
        Self::ALL
            .iter()
            .find(is_it)
            .copied()
            .ok_or_else(|| UnknownHost { given: given.to_owned(), hint: hint(&wanted) })
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::User => "user",
            Self::Workspace => "workspace",
        })
    }
}

fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

fn hint(wanted: &str) -> String {
    let near = |host: &&Host| strsim::jaro_winkler(&plain(host.id()), wanted);
    match Host::ALL.iter().max_by(|a, b| near(a).total_cmp(&near(b))).filter(|host| near(host) > 0.8) {
        Some(host) => format!("did you mean {host}?"),
        None => {
            let ids: Vec<_> = Host::ALL.iter().map(|host| host.id()).collect();
            format!("known are {}", ids.join(", "))
        }
    }
}
