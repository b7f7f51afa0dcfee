//! Turns what stands between `[[` and `]]` into a condition: which operands are compared, and which ones bash evaluates.

use super::{
    doubt::Doubt,
    lower::{Lower, Lowered},
    script::{Condition, Raw},
    token::{self, Class},
};
use brush_parser::ast;

impl<'t> Lower<'t> {
    pub(super) fn condition(&self, expression: &ast::ExtendedTestExpr, end: usize) -> Lowered<Condition<'t>> {
        Ok(match expression {
            ast::ExtendedTestExpr::And(left, right) | ast::ExtendedTestExpr::Or(left, right) => {
                Condition::Both(Box::new(self.condition(left, end)?), Box::new(self.condition(right, end)?))
            }
            ast::ExtendedTestExpr::Not(inner) | ast::ExtendedTestExpr::Parenthesized(inner) => {
                Condition::Inverse(Box::new(self.condition(inner, end)?))
            }
            ast::ExtendedTestExpr::UnaryTest(predicate, word) => {
                use ast::UnaryPredicate as Unary;
                match predicate {
                    Unary::ShellVariableIsSetAndAssigned | Unary::ShellVariableIsSetAndNameRef => {
                        Condition::Variable(self.word(word)?)
                    }
                    // The operand is a number, which bash takes for arithmetic.
                    Unary::FdIsOpenTerminal => Condition::Arithmetic(self.word(word)?, Raw { text: "0", start: 0 }),
                    Unary::FileExists
                    | Unary::FileExistsAndIsBlockSpecialFile
                    | Unary::FileExistsAndIsCharSpecialFile
                    | Unary::FileExistsAndIsDir
                    | Unary::FileExistsAndIsRegularFile
                    | Unary::FileExistsAndIsSetgid
                    | Unary::FileExistsAndIsSymlink
                    | Unary::FileExistsAndHasStickyBit
                    | Unary::FileExistsAndIsFifo
                    | Unary::FileExistsAndIsReadable
                    | Unary::FileExistsAndIsNotZeroLength
                    | Unary::FileExistsAndIsSetuid
                    | Unary::FileExistsAndIsWritable
                    | Unary::FileExistsAndIsExecutable
                    | Unary::FileExistsAndOwnedByEffectiveGroupId
                    | Unary::FileExistsAndModifiedSinceLastRead
                    | Unary::FileExistsAndOwnedByEffectiveUserId
                    | Unary::FileExistsAndIsSocket
                    | Unary::ShellOptionEnabled
                    | Unary::StringHasZeroLength
                    | Unary::StringHasNonZeroLength => Condition::Plain(vec![self.word(word)?]),
                }
            }
            ast::ExtendedTestExpr::BinaryTest(predicate, left, right) => {
                use ast::BinaryPredicate as Binary;
                match predicate {
                    Binary::ArithmeticEqualTo
                    | Binary::ArithmeticNotEqualTo
                    | Binary::ArithmeticLessThan
                    | Binary::ArithmeticLessThanOrEqualTo
                    | Binary::ArithmeticGreaterThan
                    | Binary::ArithmeticGreaterThanOrEqualTo => {
                        Condition::Arithmetic(self.word(left)?, self.word(right)?)
                    }
                    Binary::StringMatchesRegex | Binary::StringContainsSubstring => self.regex(left, end)?,
                    Binary::FilesReferToSameDeviceAndInodeNumbers
                    | Binary::LeftFileIsNewerOrExistsWhenRightDoesNot
                    | Binary::LeftFileIsOlderOrDoesNotExistWhenRightDoes
                    | Binary::StringExactlyMatchesPattern
                    | Binary::StringDoesNotExactlyMatchPattern
                    | Binary::StringExactlyMatchesString
                    | Binary::StringDoesNotExactlyMatchString
                    | Binary::LeftSortsBeforeRight
                    | Binary::LeftSortsAfterRight => Condition::Plain(vec![self.word(left)?, self.word(right)?]),
                }
            }
        })
    }

    /// The tree joins the tokens of a regular expression, so all words up to the end of the condition are taken: only
    /// what they expand matters.
    fn regex(&self, left: &ast::Word, end: usize) -> Lowered<Condition<'t>> {
        let left = self.word(left)?;
        let text = self.text.get(left.end()..end).unwrap_or_default();
        let mut words = vec![left];
        for token in token::tokens(text)? {
            match token.class {
                Class::Word => words.push(Raw { text: token.text(text), start: left.end() + token.start }),
                Class::Operator => {}
                Class::Arithmetic | Class::HereBody | Class::HereEnd => {
                    return Err(Doubt::new("syntax.condition", "an unusual regular expression").at(left.end(), end));
                }
            }
        }
        Ok(Condition::Plain(words))
    }
}
