//! Colours and signs by meaning: what a thing is, never which colour it has, is all the rest of the crate says.

mod palette;

use fore_plan::{Level, Mode};
use ratatui::style::{Color, Modifier, Style};

/// How the screen looks. Chosen once, at the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Theme {
    /// How many colours there are.
    pub colours: Colours,
    /// What the colours stand on.
    pub background: Background,
    /// Which signs can be drawn.
    pub signs: Signs,
}

/// The colours that a terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    /// `NO_COLOR`: only bold, dim, underlined and reversed.
    Nothing,
    /// The sixteen colours that the person's terminal defines.
    Sixteen,
    /// The palette of 256 colours: the nearest to ours.
    Palette,
    /// 24-bit colours.
    Full,
}

/// What the colours must be seen on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// Light letters.
    Dark,
    /// Dark letters.
    Light,
}

/// The signs that a terminal can show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signs {
    /// All of them.
    Unicode,
    /// For terminals and locales without UTF-8.
    Ascii,
}

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextRole {
    Plain,
    /// Hints, line numbers, folded counts.
    Faint,
    Strong,
    /// What can be done here: keys, the chosen row, the spinner.
    Accent,
    Good,
    Warning,
    Bad,
    /// Words of the person.
    Person,
    Heading,
    /// Code inside a sentence, and code blocks without highlighting.
    Code,
    Link,
    Quote,
    /// Lines around things.
    Border,
    /// The row that a key would act on.
    Selected,
    /// What was searched for, over the style of the text it is in.
    Found,
    /// The mode, wherever it shows: status line, borders of a plan.
    Mode(Mode),
    Added,
    Removed,
    /// The changed words inside an added or removed line.
    AddedWord,
    RemovedWord,
}

/// A sign with a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    /// In front of what was said or done (L4).
    Bullet,
    /// In front of the composer and of the person's words.
    Prompt,
    /// Leads from a call to its result.
    Elbow,
    /// Left border of a plan or a quote.
    Bar,
    /// A horizontal rule; repeated.
    Rule,
    CornerTopLeft,
    CornerBottomLeft,
    Ellipsis,
    /// A word goes on in the next row.
    GoesOn,
    Check,
    Cross,
    /// A list item, a todo that waits.
    Dot,
    Circle,
    /// The chosen row.
    Pointer,
    BoxEmpty,
    BoxTicked,
    /// The kernel holds what runs.
    Caged,
    NotCaged,
    Warning,
    /// What stands before the name of the mode in the status line (L1).
    Mode(Mode),
    ArrowUp,
    ArrowDown,
    /// A remark on a line of a plan.
    Remark,
    /// Stands between two facts on one line.
    Between,
}

impl Theme {
    pub(crate) fn style(&self, role: TextRole) -> Style {
        let style = Style::new();
        let paint = |sixteen: Color, dark: u32, light: u32| self.paint(style, sixteen, dark, light);
        match role {
            TextRole::Plain => style,
            TextRole::Faint => match self.colours {
                Colours::Nothing => style.add_modifier(Modifier::DIM),
                Colours::Sixteen | Colours::Palette | Colours::Full => paint(Color::DarkGray, 0x8a_8f98, 0x6e_7480),
            },
            TextRole::Strong => style.add_modifier(Modifier::BOLD),
            TextRole::Accent => paint(Color::Cyan, 0x7c_c4ff, 0x00_66b8),
            TextRole::Good => paint(Color::Green, 0x7f_d18b, 0x1c_7c33),
            TextRole::Warning => paint(Color::Yellow, 0xe6_c068, 0x8a_5a00),
            TextRole::Bad => match self.colours {
                Colours::Nothing => style.add_modifier(Modifier::BOLD),
                Colours::Sixteen | Colours::Palette | Colours::Full => paint(Color::Red, 0xf2_7b78, 0xb3_2b27),
            },
            TextRole::Person => match self.colours {
                Colours::Nothing => style.add_modifier(Modifier::BOLD),
                Colours::Sixteen | Colours::Palette | Colours::Full => paint(Color::Blue, 0x9d_b8ff, 0x2b_4fbf),
            },
            TextRole::Heading => paint(Color::Cyan, 0x7c_c4ff, 0x00_66b8).add_modifier(Modifier::BOLD),
            TextRole::Code => paint(Color::Yellow, 0xd9_b38c, 0x7a_4b12),
            TextRole::Link => paint(Color::Blue, 0x82_aaff, 0x2b_4fbf).add_modifier(Modifier::UNDERLINED),
            TextRole::Quote => paint(Color::DarkGray, 0xa6_adb8, 0x5a_616c).add_modifier(Modifier::ITALIC),
            TextRole::Border => match self.colours {
                Colours::Nothing => style.add_modifier(Modifier::DIM),
                Colours::Sixteen | Colours::Palette | Colours::Full => paint(Color::DarkGray, 0x5a_606b, 0xa9_afb8),
            },
            TextRole::Selected => match self.colours {
                Colours::Nothing => style.add_modifier(Modifier::REVERSED),
                Colours::Sixteen | Colours::Palette | Colours::Full => {
                    paint(Color::Cyan, 0x7c_c4ff, 0x00_66b8).add_modifier(Modifier::BOLD)
                }
            },
            TextRole::Found => style.add_modifier(Modifier::REVERSED),
            TextRole::Mode(mode) => self.mode(mode),
            TextRole::Added => paint(Color::Green, 0x7f_d18b, 0x1c_7c33),
            TextRole::Removed => paint(Color::Red, 0xf2_7b78, 0xb3_2b27),
            TextRole::AddedWord => self.style(TextRole::Added).add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            TextRole::RemovedWord => self.style(TextRole::Removed).add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
        }
    }

    fn mode(&self, mode: Mode) -> Style {
        let (sixteen, dark, light) = match mode {
            Mode::Plan => (Color::Cyan, 0x48_c7b4, 0x00_7f6e),
            Mode::At(Level::Default) => (Color::DarkGray, 0x8a_8f98, 0x6e_7480),
            Mode::At(Level::AcceptEdits) => (Color::Magenta, 0xc5_9bff, 0x7a_3fc4),
            Mode::At(Level::Auto) => (Color::Yellow, 0xe6_c068, 0x8a_5a00),
            Mode::At(Level::BypassPermissions) => (Color::Red, 0xf2_7b78, 0xb3_2b27),
        };
        self.paint(Style::new().add_modifier(Modifier::BOLD), sixteen, dark, light)
    }

    fn paint(&self, style: Style, sixteen: Color, dark: u32, light: u32) -> Style {
        let own = match self.background {
            Background::Dark => dark,
            Background::Light => light,
        };
        match self.colours {
            Colours::Nothing => style,
            Colours::Sixteen => style.fg(self.of_sixteen(sixteen)),
            Colours::Palette | Colours::Full => {
                let [_, red, green, blue] = own.to_be_bytes();
                style.fg(self.own(red, green, blue))
            }
        }
    }

    /// One of the sixteen; on a light background the one that can be read in its place.
    pub(crate) fn of_sixteen(&self, colour: Color) -> Color {
        match (self.background, colour) {
            (Background::Dark, colour) => colour,
            (Background::Light, Color::Yellow | Color::LightYellow | Color::LightMagenta) => Color::Magenta,
            (Background::Light, Color::Cyan | Color::LightCyan | Color::LightBlue) => Color::Blue,
            (Background::Light, Color::White | Color::Gray) => Color::Black,
            (Background::Light, Color::LightGreen) => Color::Green,
            (Background::Light, Color::LightRed) => Color::Red,
            (Background::Light, colour) => colour,
        }
    }

    /// A colour of our own, or the nearest one of the palette.
    pub(crate) fn own(&self, red: u8, green: u8, blue: u8) -> Color {
        match self.colours {
            Colours::Palette => Color::Indexed(palette::nearest([red, green, blue])),
            Colours::Nothing | Colours::Sixteen | Colours::Full => Color::Rgb(red, green, blue),
        }
    }

    pub(crate) fn sign(&self, sign: Sign) -> &'static str {
        let (unicode, ascii) = match sign {
            Sign::Bullet if cfg!(target_os = "macos") => ("⏺", "*"),
            Sign::Bullet => ("●", "*"),
            Sign::Prompt => ("❯", ">"),
            Sign::Elbow => ("└", "`"),
            Sign::Bar => ("│", "|"),
            Sign::Rule => ("─", "-"),
            Sign::CornerTopLeft => ("╭", "+"),
            Sign::CornerBottomLeft => ("╰", "+"),
            Sign::Ellipsis => ("…", "..."),
            Sign::GoesOn => ("↵", "\\"),
            Sign::Check => ("✔", "+"),
            Sign::Cross => ("✘", "x"),
            Sign::Dot => ("•", "-"),
            Sign::Circle => ("○", "o"),
            Sign::Pointer => ("❯", ">"),
            Sign::BoxEmpty => ("☐", "[ ]"),
            Sign::BoxTicked => ("☑", "[x]"),
            Sign::Caged => ("▣", "#"),
            Sign::NotCaged => ("▢", "!"),
            Sign::Warning => ("⚠", "!"),
            Sign::Mode(Mode::Plan) => ("⏸", "||"),
            Sign::Mode(Mode::At(Level::Default)) => ("▸", ">"),
            Sign::Mode(Mode::At(Level::AcceptEdits | Level::Auto | Level::BypassPermissions)) => ("⏵⏵", ">>"),
            Sign::ArrowUp => ("↑", "^"),
            Sign::ArrowDown => ("↓", "v"),
            Sign::Remark => ("▌", "#"),
            Sign::Between => ("·", "-"),
        };
        match self.signs {
            Signs::Unicode => unicode,
            Signs::Ascii => ascii,
        }
    }
}

/// The frames of the spinner; each is one column wide.
const SPINNER: [&str; 10] = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const SPINNER_ASCII: [&str; 4] = ["|", "/", "-", "\\"];

impl Theme {
    /// What turns while something runs; `step` grows with time.
    pub(crate) fn spinner(&self, step: usize) -> &'static str {
        match self.signs {
            Signs::Unicode => SPINNER[step % SPINNER.len()],
            Signs::Ascii => SPINNER_ASCII[step % SPINNER_ASCII.len()],
        }
    }
}

/// The mode in words, as the status line has them (L1).
pub(crate) fn mode_words(mode: Mode) -> &'static str {
    match mode {
        Mode::Plan => "plan mode on",
        Mode::At(Level::Default) => "asks before each change",
        Mode::At(Level::AcceptEdits) => "accept edits on",
        Mode::At(Level::Auto) => "auto mode on",
        Mode::At(Level::BypassPermissions) => "bypass permissions on",
    }
}

#[cfg(test)]
mod tests;
