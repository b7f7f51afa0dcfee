//! Words that stay, for what differs from run to run: paths, names of plans, ids, addresses. As wide as what they stand for
//! where that has always the same width.

use crate::stage::Stage;
use fore_testkit::terminal::Screen;

const VERSION: &str = env!("CARGO_PKG_VERSION");
/// Plans have names made up at random; here they have these.
const PLANS: [&str; 3] = ["brave-quiet-fox", "calm-silver-owl", "warm-early-lark"];
/// A spinner, wherever it has turned to; it stands at the first.
const SPINNER: &str = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
/// Letters of an id that lists show at least.
const SHORT_ID: usize = 8;

impl Stage {
    /// The screen as it would be in `/home/ada/shop`, at any time.
    pub(crate) fn stable(&self, screen: &Screen) -> Screen {
        screen.with_words(&self.words())
    }

    pub(crate) fn stable_text(&self, text: &str) -> String {
        self.words().iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to))
    }

    fn words(&self) -> Vec<(String, String)> {
        let mut words = vec![
            (self.root().display().to_string(), "/home/ada".to_owned()),
            (self.server.origin(), "http://127.0.0.1:40000".to_owned()),
            (format!("fore {VERSION}"), "fore 0.0.0".to_owned()),
            (format!("Forethought {VERSION}"), "Forethought 0.0.0".to_owned()),
        ];
        words.extend(SPINNER.chars().skip(1).map(|sign| (sign.to_string(), SPINNER.chars().take(1).collect())));
        // How long something takes is another number each time.
        words.extend((1..100).rev().map(|seconds| (format!(" · {seconds}s"), String::new())));
        for seconds in (1..100).rev() {
            words.push((format!("next try in {seconds} s"), "next try in 9 s".to_owned()));
            words.push((format!("nothing new for {seconds}s"), "nothing new for 9s".to_owned()));
        }
        words.extend(self.plans().into_iter().zip(PLANS.map(str::to_owned)));
        for (number, id) in (1..).zip(self.sessions()) {
            let stays = format!("{number:08}-0000-7000-8000-000000000000");
            // Lists show as much of an id as tells it from the others.
            for letters in (SHORT_ID..=id.len()).rev() {
                let part = |id: &str| id.get(..letters).unwrap_or_default().to_owned();
                words.push((part(&id), part(&stays)));
            }
            // In a narrow window a path breaks anywhere in it: the longer part first, behind the break and before it.
            for letters in 1..SHORT_ID {
                let behind = |id: &str| id.get(letters..).unwrap_or_default().to_owned();
                words.push((behind(&id), behind(&stays)));
            }
            for letters in (4..SHORT_ID).rev() {
                let before = |id: &str| format!("/{}", id.get(..letters).unwrap_or_default());
                words.push((before(&id), before(&stays)));
            }
        }
        words
    }
}
