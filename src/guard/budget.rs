//! Budgets: the limits of a run, checked before anything is spent.

use std::{fmt, iter::Sum, time::Duration};

use serde::{Deserialize, Serialize};

use crate::{
    base::{Error, ErrorKind, Result, TokenCount},
    chat::Usage,
    working::BudgetKind,
};

/// Default of [`Budget::max_steps`]. Source: chosen.
const MAX_STEPS: u32 = 50;
/// Default of [`Budget::max_errors`]. Source: chosen.
const MAX_ERRORS: u32 = 5;
/// Largest number of remaining replies that the model is told. Source: chosen; enough to look once more and to finish.
const NEAR_END: u32 = 3;
/// Number of remaining actions at or below which the model is told how many remain. Source: chosen; enough to
/// complete what the run has begun.
const FEW_ACTIONS: u32 = 10;
/// Number of tokens that a price is for.
const PRICE_UNIT: u128 = 1_000_000;

/// An amount of money, in millionths of the currency of the caller's prices. Addition saturates.
///
/// ```
/// use webwise::guard::Money;
///
/// assert_eq!((Money::micros(1_500_000) + Money::micros(250)).to_string(), "1.500250");
/// ```
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Money(u64);

impl Money {
    /// Makes an amount in millionths of the currency.
    pub const fn micros(micros: u64) -> Self {
        Self(micros)
    }

    /// Makes an amount in hundredths of the currency.
    pub const fn cents(cents: u64) -> Self {
        Self(cents.saturating_mul(10_000))
    }

    /// Returns the amount in millionths of the currency.
    pub const fn as_micros(self) -> u64 {
        self.0
    }
}

impl std::ops::Add for Money {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Money {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self(0), std::ops::Add::add)
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:06}", self.0 / 1_000_000, self.0 % 1_000_000)
    }
}

/// The prices of a model. Unit: money for a million tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prices {
    /// Price of input that does not come from the provider's cache.
    pub input: Money,
    /// Price of input that comes from the provider's cache.
    pub cached: Money,
    /// Price of output.
    pub output: Money,
}

impl Prices {
    /// Returns the cost of `usage`, rounded up to a whole millionth of the currency.
    pub fn cost(&self, usage: &Usage) -> Money {
        let cached = usage.cached.0.min(usage.input.0);
        let part = |price: Money, tokens: u64| u128::from(price.0) * u128::from(tokens);
        let millionths = part(self.input, usage.input.0 - cached)
            .saturating_add(part(self.cached, cached))
            .saturating_add(part(self.output, usage.output.0));
        Money(u64::try_from(millionths.div_ceil(PRICE_UNIT)).unwrap_or(u64::MAX))
    }
}

/// An estimate of the next model call: the most tokens it can take, and its highest cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallEstimate {
    usage: Usage,
    cost: Money,
}

impl CallEstimate {
    /// Makes an estimate for a request of about `input` tokens and a reply of at most `max_output`. It assumes that no
    /// input is cached.
    pub fn new(input: TokenCount, max_output: TokenCount, prices: Option<&Prices>) -> Self {
        let usage = Usage {
            input,
            output: max_output,
            cached: TokenCount(0),
        };
        Self {
            usage,
            cost: prices.map(|prices| prices.cost(&usage)).unwrap_or_default(),
        }
    }

    /// Returns the estimated size of the request.
    pub const fn input(&self) -> TokenCount {
        self.usage.input
    }
}

/// The limits of a run: its steps, failures, model calls, tokens, cost and time.
///
/// ```
/// use webwise::guard::{Budget, Money};
///
/// let budget = Budget { max_cost: Some(Money::cents(50)), ..Budget::default() };
/// assert_eq!((budget.max_steps, budget.max_errors), (50, 5));
/// assert!(budget.validate(None).is_err(), "money needs prices");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    /// Maximum number of steps, without those that only write a note or search the page. A step is one attempt at an action. It also counts if the action is refused or fails,
    /// or if the model's reply contains no usable call. Default 50.
    pub max_steps: u32,
    /// Number of failures in a row that ends the run. A failure is an action that failed or had no effect; several
    /// failures in one reply of the model count once. Scrolling, and keys that are usually pressed several times, such
    /// as those that move the caret, are not counted. Default 5.
    pub max_errors: u32,
    /// Maximum number of model calls, without those of a [compressor](crate::agent::Builder::with_compressor). Default
    /// unlimited.
    pub max_calls: Option<u32>,
    /// Maximum number of tokens of all requests together. Default unlimited.
    pub max_input_tokens: Option<TokenCount>,
    /// Maximum number of tokens of all replies together. Default unlimited.
    pub max_output_tokens: Option<TokenCount>,
    /// Maximum cost; needs [`Prices`]. Default unlimited.
    pub max_cost: Option<Money>,
    /// Longest wall-clock time of the run. Default unlimited.
    pub max_duration: Option<Duration>,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            max_steps: MAX_STEPS,
            max_errors: MAX_ERRORS,
            max_calls: None,
            max_input_tokens: None,
            max_output_tokens: None,
            max_cost: None,
            max_duration: None,
        }
    }
}

impl Budget {
    /// Checks that the budget makes sense and can be enforced.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidInput`] if the budget allows no step or no error, or if it limits the cost and `prices` is
    /// `None`.
    pub fn validate(&self, prices: Option<&Prices>) -> Result<()> {
        let refuse = |option: &'static str, why: &'static str| {
            Err(Error::new(ErrorKind::InvalidInput, "budget.validate")
                .with("option", option)
                .with("why", why))
        };
        match () {
            () if self.max_steps == 0 => refuse("max_steps", "no step is allowed"),
            () if self.max_errors == 0 => {
                refuse("max_errors", "the first error would already be too many")
            }
            () if self.max_cost.is_some() && prices.is_none() => {
                refuse("max_cost", "money cannot be counted without prices")
            }
            () => Ok(()),
        }
    }

    /// Checks that one more action may be carried out.
    ///
    /// # Errors
    /// Returns the kind of budget that is exhausted.
    pub fn check_before_step(&self, spent: &Spent, elapsed: Duration) -> Result<(), BudgetKind> {
        if spent.counted() >= self.max_steps {
            return Err(BudgetKind::Steps);
        }
        if self.max_duration.is_some_and(|max| elapsed >= max) {
            return Err(BudgetKind::Time);
        }
        Ok(())
    }

    /// Checks that one more model call may be made. `worst` is the most that the call is expected to take.
    ///
    /// # Errors
    /// Returns the first kind of budget, in the order of [`BudgetKind`], that the call could exceed.
    pub fn check_before_call(
        &self,
        spent: &Spent,
        worst: &CallEstimate,
        elapsed: Duration,
    ) -> Result<(), BudgetKind> {
        if spent.counted() >= self.max_steps {
            return Err(BudgetKind::Steps);
        }
        if self.max_calls.is_some_and(|max| spent.calls >= max) {
            return Err(BudgetKind::Calls);
        }
        let exceeds = |max: Option<TokenCount>, spent: TokenCount, next: TokenCount| {
            max.is_some_and(|max| spent + next > max)
        };
        if exceeds(self.max_input_tokens, spent.usage.input, worst.usage.input)
            || exceeds(
                self.max_output_tokens,
                spent.usage.output,
                worst.usage.output,
            )
        {
            return Err(BudgetKind::Tokens);
        }
        if self
            .max_cost
            .is_some_and(|max| spent.cost + worst.cost > max)
        {
            return Err(BudgetKind::Money);
        }
        self.check_before_step(spent, elapsed)
    }

    /// Returns how many actions are left.
    pub(crate) const fn left(&self, spent: &Spent) -> u32 {
        self.max_steps.saturating_sub(spent.counted())
    }

    /// Returns remarks for the model about limits that are near, so that the model can still finish with what it knows.
    ///
    /// `spent` does not include the next model call. `failed_replies` is the number of failures in a row, counted as for
    /// [`max_errors`](Self::max_errors).
    pub fn near_end(&self, spent: &Spent, failed_replies: u32) -> Vec<String> {
        let mut remarks = Vec::new();
        if failed_replies > 0 && failed_replies + 1 == self.max_errors {
            remarks.push(format!(
                "in {failed_replies} replies in a row an action failed: if one fails in the next reply too, the run ends without an answer"
            ));
        }
        let last =
            |what: &str| format!("this is the last {what} of the run: finish with what is known");
        match self.left(spent) {
            0 | 1 => remarks.push(last("action")),
            left @ 2..=FEW_ACTIONS => remarks.push(format!(
                "{left} more actions are allowed, finish included, then the run ends without an answer"
            )),
            left if left <= self.max_steps / 2 => {
                remarks.push(format!("{left} of {} actions are left", self.max_steps));
            }
            _ => {}
        }
        match self.max_calls.map(|max| max.saturating_sub(spent.calls)) {
            Some(0 | 1) => remarks.push(last("reply")),
            Some(left @ 2..=NEAR_END) => remarks.push(format!(
                "{left} more replies are allowed, then the run ends without an answer"
            )),
            _ => {}
        }
        remarks
    }

    /// Returns true if the run must end after this number of failures in a row, counted as for
    /// [`max_errors`](Self::max_errors).
    pub const fn is_too_many_errors(&self, in_a_row: u32) -> bool {
        in_a_row >= self.max_errors
    }
}

/// The amounts that a run has spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Spent {
    /// Number of steps.
    pub steps: u32,
    /// Number of steps that [`Budget::max_steps`] does not count: those that only wrote a note or searched the page.
    #[serde(default)]
    pub free: u32,
    /// Number of model calls, including failed ones, but without those of a
    /// [compressor](crate::agent::Builder::with_compressor).
    pub calls: u32,
    /// Number of tokens that the provider reported. A call without a report counts with an estimate. But a call that
    /// failed counts no tokens, unless it timed out or its reply could not be read.
    pub usage: Usage,
    /// Cost, by the prices of the run.
    pub cost: Money,
}

impl Spent {
    /// Counts a step.
    pub const fn add_step(&mut self) {
        self.steps = self.steps.saturating_add(1);
    }

    /// Records that the last step only wrote a note or searched the page.
    pub const fn free_step(&mut self) {
        self.free = self.free.saturating_add(1);
    }

    /// Returns the number of steps that [`Budget::max_steps`] counts. Beside each of them one may be free.
    const fn counted(&self) -> u32 {
        let half = self.steps.div_ceil(2);
        let counted = self.steps.saturating_sub(self.free);
        if counted > half { counted } else { half }
    }

    /// Counts a model call with its reported usage, or with the estimate if no usage was reported.
    pub fn add_call(
        &mut self,
        reported: Option<&Usage>,
        worst: &CallEstimate,
        prices: Option<&Prices>,
    ) {
        self.calls = self.calls.saturating_add(1);
        self.add_usage(reported, worst, prices);
    }

    /// Counts the tokens and the cost of a model call, but not the call itself. If no usage was reported, counts the
    /// estimate.
    pub fn add_usage(
        &mut self,
        reported: Option<&Usage>,
        worst: &CallEstimate,
        prices: Option<&Prices>,
    ) {
        let usage = reported.unwrap_or(&worst.usage);
        self.usage.input += usage.input;
        self.usage.output += usage.output;
        self.usage.cached += usage.cached;
        self.cost = self.cost + prices.map(|prices| prices.cost(usage)).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PRICES: Prices = Prices {
        input: Money::micros(300_000),
        cached: Money::micros(30_000),
        output: Money::micros(2_500_000),
    };

    fn usage(input: u64, cached: u64, output: u64) -> Usage {
        Usage {
            input: TokenCount(input),
            output: TokenCount(output),
            cached: TokenCount(cached),
        }
    }

    fn estimate(input: u64, output: u64) -> CallEstimate {
        CallEstimate::new(TokenCount(input), TokenCount(output), Some(&PRICES))
    }

    fn check(budget: &Budget, spent: &Spent, seconds: u64) -> Result<(), BudgetKind> {
        budget.check_before_call(spent, &estimate(1_000, 100), Duration::from_secs(seconds))
    }

    #[test]
    fn cost_counts_the_cache_apart_and_rounds_up() {
        assert_eq!(PRICES.cost(&usage(1_000_000, 0, 0)), Money::micros(300_000));
        assert_eq!(
            PRICES.cost(&usage(1_000_000, 1_000_000, 0)),
            Money::micros(30_000)
        );
        assert_eq!(PRICES.cost(&usage(1, 0, 0)), Money::micros(1));
        assert_eq!(PRICES.cost(&usage(0, 50, 0)), Money::default());
        assert_eq!(
            PRICES.cost(&usage(u64::MAX, 0, u64::MAX)),
            Money::micros(u64::MAX)
        );
    }

    #[test]
    fn each_budget_stops_with_its_own_name() {
        let spent = Spent {
            steps: 3,
            calls: 3,
            usage: usage(3_000, 0, 300),
            cost: Money::micros(1_650),
            ..Spent::default()
        };
        let open = Budget::default();
        assert_eq!(check(&open, &spent, 1_000_000), Ok(()));
        for (budget, kind) in [
            (
                Budget {
                    max_steps: 3,
                    ..open.clone()
                },
                BudgetKind::Steps,
            ),
            (
                Budget {
                    max_calls: Some(3),
                    ..open.clone()
                },
                BudgetKind::Calls,
            ),
            (
                Budget {
                    max_input_tokens: Some(TokenCount(3_999)),
                    ..open.clone()
                },
                BudgetKind::Tokens,
            ),
            (
                Budget {
                    max_output_tokens: Some(TokenCount(399)),
                    ..open.clone()
                },
                BudgetKind::Tokens,
            ),
            (
                Budget {
                    max_cost: Some(Money::micros(2_199)),
                    ..open.clone()
                },
                BudgetKind::Money,
            ),
            (
                Budget {
                    max_duration: Some(Duration::from_mins(1)),
                    ..open.clone()
                },
                BudgetKind::Time,
            ),
        ] {
            assert_eq!(check(&budget, &spent, 60), Err(kind));
        }
        let enough = Budget {
            max_steps: 4,
            max_calls: Some(4),
            max_input_tokens: Some(TokenCount(4_000)),
            max_output_tokens: Some(TokenCount(400)),
            max_cost: Some(Money::micros(2_200)),
            max_duration: Some(Duration::from_secs(61)),
            ..open
        };
        assert_eq!(check(&enough, &spent, 60), Ok(()));
    }

    #[test]
    fn a_step_needs_steps_and_time_only() {
        let budget = Budget {
            max_calls: Some(0),
            max_steps: 2,
            max_duration: Some(Duration::from_secs(9)),
            ..Budget::default()
        };
        let mut spent = Spent::default();
        spent.add_step();
        assert_eq!(
            budget.check_before_step(&spent, Duration::from_secs(8)),
            Ok(())
        );
        assert_eq!(
            budget.check_before_step(&spent, Duration::from_secs(9)),
            Err(BudgetKind::Time)
        );
        spent.add_step();
        assert_eq!(
            budget.check_before_step(&spent, Duration::ZERO),
            Err(BudgetKind::Steps)
        );
    }

    #[test]
    fn the_model_is_told_of_a_limit_while_it_can_still_finish() {
        let told = |budget: &Budget, steps, calls, errors| {
            let spent = Spent {
                steps,
                calls,
                ..Spent::default()
            };
            budget.near_end(&spent, errors).join("; ")
        };
        let budget = Budget {
            max_steps: 20,
            max_calls: Some(8),
            ..Budget::default()
        };
        assert_eq!(told(&budget, 6, 4, 3), "");
        assert!(told(&budget, 6, 4, 4).starts_with("in 4 replies in a row"));
        assert!(told(&budget, 17, 4, 0).starts_with("3 more actions are allowed"));
        assert!(told(&budget, 10, 4, 0).starts_with("10 more actions are allowed"));
        assert!(told(&budget, 6, 6, 0).starts_with("2 more replies are allowed"));
        assert!(told(&budget, 19, 4, 0).starts_with("this is the last action"));
        assert!(told(&budget, 6, 7, 0).starts_with("this is the last reply"));
        assert_eq!(told(&Budget::default(), 6, 900, 0), "");
    }

    #[test]
    fn an_unreported_call_is_counted_by_its_estimate() {
        let mut spent = Spent::default();
        spent.add_call(None, &estimate(1_000, 100), Some(&PRICES));
        spent.add_call(
            Some(&usage(500, 100, 10)),
            &estimate(1_000, 100),
            Some(&PRICES),
        );
        assert_eq!((spent.calls, spent.usage), (2, usage(1_500, 100, 110)));
        assert_eq!(spent.cost, Money::micros(550 + 148));
    }

    #[test]
    fn a_budget_that_cannot_be_kept_is_refused() {
        let money = Budget {
            max_cost: Some(Money::cents(1)),
            ..Budget::default()
        };
        assert!(money.validate(None).is_err() && money.validate(Some(&PRICES)).is_ok());
        assert!(
            Budget {
                max_steps: 0,
                ..Budget::default()
            }
            .validate(None)
            .is_err()
        );
        assert!(
            Budget {
                max_errors: 0,
                ..Budget::default()
            }
            .validate(None)
            .is_err()
        );
        assert!(
            Budget::default().is_too_many_errors(5) && !Budget::default().is_too_many_errors(4)
        );
    }

    proptest! {
        #[test]
        fn a_budget_is_overshot_by_one_call_at_most_whatever_calls_really_take(
            calls in proptest::collection::vec((0_u64..5_000, 0_u64..500, any::<bool>()), 0..40),
            (input, output, cost) in (0_u64..50_000, 0_u64..5_000, 0_u64..20_000),
        ) {
            let budget = Budget {
                max_input_tokens: Some(TokenCount(input)),
                max_output_tokens: Some(TokenCount(output)),
                max_cost: Some(Money::micros(cost)),
                ..Budget::default()
            };
            let worst = estimate(1_000, 100);
            let mut spent = Spent::default();
            for (used_input, used_output, reports) in calls {
                let before = spent;
                if budget.check_before_call(&spent, &worst, Duration::ZERO).is_err() {
                    break;
                }
                prop_assert!(before.usage.input.0 <= input && before.usage.output.0 <= output && before.cost.as_micros() <= cost);
                spent.add_call(reports.then_some(&usage(used_input, 0, used_output)), &worst, Some(&PRICES));
            }
        }

        #[test]
        fn who_may_not_spend_may_not_spend_after_spending_more(
            (steps, calls, input, output) in (0_u32..60, 0_u32..60, any::<u64>(), any::<u64>()),
            (more_input, more_output, seconds) in (any::<u64>(), any::<u64>(), 0_u64..100),
            max_tokens in any::<u64>(),
        ) {
            let budget = Budget {
                max_calls: Some(30),
                max_input_tokens: Some(TokenCount(max_tokens)),
                max_cost: Some(Money::micros(max_tokens)),
                max_duration: Some(Duration::from_secs(50)),
                ..Budget::default()
            };
            let mut spent = Spent { steps, calls, usage: usage(input, 0, output), cost: PRICES.cost(&usage(input, 0, output)), ..Spent::default() };
            let before = check(&budget, &spent, seconds);
            spent.add_step();
            spent.add_call(Some(&usage(more_input, 0, more_output)), &estimate(0, 0), Some(&PRICES));
            let after = check(&budget, &spent, seconds + 1);
            prop_assert!(before.is_ok() || after.is_err());
        }
    }

    #[test]
    fn notes_and_searches_are_no_actions_but_not_without_end() {
        let budget = Budget {
            max_steps: 10,
            ..Budget::default()
        };
        let may = |steps, free| {
            let spent = Spent {
                steps,
                free,
                ..Spent::default()
            };
            budget.check_before_step(&spent, Duration::ZERO).is_ok()
        };
        assert!(!may(10, 0) && may(10, 1) && may(18, 9));
        assert!(!may(20, 10) && !may(20, 20));
    }
}
