"""The gate, and what is left to it."""

from mutation import FILTER, GATE, Mutation

TESTS = ("gate", "gate-calls")
HELD = ("held-bodies",)

MUTATIONS = [
    Mutation(
        "the-gate-needs-no-mark",
        GATE + "standing.rs",
        "None if !awaits.contains(*role) => {}",
        "None => {}",
        TESTS,
    ),
    Mutation(
        "the-gate-waits-only-for-whom-it-awaits",
        GATE + "standing.rs",
        "Some(Some(Mark::Hold)) => waits = true,",
        "Some(Some(Mark::Hold)) => waits |= awaits.contains(*role),",
        TESTS,
    ),
    Mutation(
        "tickets-of-other-vms-are-taken",
        GATE + "waiting.rs",
        "ticket.queue == self.queue && ticket.vm == self.vm;",
        "ticket.queue == self.queue || ticket.vm == self.vm;",
        TESTS,
    ),
    Mutation(
        "any-number-of-requests-waits",
        GATE + "waiting.rs",
        "if self.held.len() >= most {",
        "if self.held.len() > most {",
        TESTS,
    ),
    Mutation(
        "each-root-has-the-queue",
        GATE + "vm.rs",
        "if let Some(vm) = known {",
        "if let Some(vm) = known.filter(|vm| vm.is_kept_by(root)) {",
        TESTS,
    ),
    Mutation(
        "the-keeper-goes",
        GATE + "root.rs",
        "!self.gate.as_ref().is_some_and(kept)",
        "self.gate.is_some() || !self.gate.as_ref().is_some_and(kept)",
        TESTS,
    ),
    Mutation(
        "a-ticket-alone-releases",
        GATE + "request.rs",
        "let Standing::Goes(edits) = Standing::of(held.awaits, &borrowed(&marks)) else {\n        return Ok(false);\n    };\n    edit(&edits)?;",
        "if let Standing::Goes(edits) = Standing::of(held.awaits, &borrowed(&marks)) {\n        edit(&edits)?;\n    }",
        TESTS,
    ),
    Mutation(
        "bodies-are-left-to-filters-behind",
        FILTER + "body.rs",
        "false => Self::Taken(Vec::new()),",
        "false => Self::Shared,",
        HELD,
    ),
    Mutation(
        "any-size-of-bodies-is-kept",
        FILTER + "body.rs",
        "if total > MAX_TAKEN {",
        "if total > MAX_TAKEN * 2 {",
        HELD,
    ),
    Mutation(
        "what-was-taken-is-not-judged",
        FILTER + "body.rs",
        "let mut whole = std::mem::take(bytes);",
        "let mut whole = std::mem::take(bytes);\n                whole.clear();",
        HELD,
    ),
]
