//! Words that stay, for what differs from run to run: paths, names of plans, ids, addresses. As wide as what they stand for
//! where that has always the same width.

use crate::stage::Stage;
use fore_testkit::terminal::Screen;

/// Plans have names made up at random; here they have these.
const PLANS: [&str; 3] = ["brave-quiet-fox", "calm-silver-owl", "warm-early-lark"];
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
            (format!("fore {}", env!("CARGO_PKG_VERSION")), "fore 0.0.0".to_owned()),
        ];
        words.extend(self.plans().into_iter().zip(PLANS.map(str::to_owned)));
        for (number, id) in (1..).zip(self.sessions()) {
            let stays = format!("{number:08}-0000-7000-8000-000000000000");
            // Lists show as much of an id as tells it from the others.
            for letters in (SHORT_ID..=id.len()).rev() {
                let part = |id: &str| id.get(..letters).unwrap_or_default().to_owned();
                words.push((part(&id), part(&stays)));
            }
        }
        words
    }
}
