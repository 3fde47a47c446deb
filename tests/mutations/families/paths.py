"""Paths, hosts, and what they select."""

from mutation import COMPILER, ENGINE, FORMAT, Mutation

ENGINE_FIRST = ("engine", "corpus", "paths")
FORMAT_FIRST = ("format", "engine", "corpus", "paths")
COMPILED = ("compiler", "diagnostics", "corpus")

MUTATIONS = [
    Mutation(
        "near-paths-pass",
        ENGINE + "head/endpoint.rs",
        "    refuse_near(endpoints, endpoint, path, &entries)?;",
        "    let _passed = refuse_near(endpoints, endpoint, path, &entries);",
        ENGINE_FIRST,
    ),
    Mutation(
        "near-paths-pass-on-other-hosts",
        ENGINE + "head/endpoint.rs",
        "    refuse_near(endpoints, endpoint, path, &entries)?;",
        """    let of_host = |of: &&Endpoint| host::specificity(&of.hosts, &host).is_some();
    let of_host: Vec<Endpoint> = endpoints.iter().filter(of_host).cloned().collect();
    refuse_near(&of_host, endpoint, path, &entries)?;""",
        ENGINE_FIRST,
    ),
    Mutation(
        "near-paths-left-to-wide-endpoints",
        ENGINE + "head/endpoint.rs",
        "own.is_none_or(|own| own < guarded.length())",
        "own.is_none()",
        ENGINE_FIRST,
    ),
    Mutation(
        "entries-open-every-host",
        ENGINE + "head/endpoint.rs",
        "        host::specificity(&entry.hosts, host).is_some()\n",
        "        host::specificity(&entry.hosts, host).is_none_or(|_| true)\n",
        ENGINE_FIRST,
    ),
    Mutation(
        "wide-entries-open-near-paths",
        ENGINE + "head/near.rs",
        "                matches!(self.rest(&prefix.path), Some([] | [b'/', ..]))",
        "                self.rest(&prefix.path).is_none_or(|_| true)",
        ENGINE_FIRST,
    ),
    Mutation(
        "old-doors-pass",
        ENGINE + "head/endpoint.rs",
        "            refuse_old_doors(path)?;",
        "            let _passed = refuse_old_doors(path);",
        ENGINE_FIRST,
    ),
    Mutation(
        "escapes-decoded-in-no-guarded-path",
        ENGINE + "head/near.rs",
        "pub const ALL: [Self; 2] = [Self::Sent, Self::Decoded];",
        "pub const ALL: [Self; 1] = [Self::Sent];",
        ENGINE_FIRST,
    ),
    Mutation(
        "near-paths-compared-by-case",
        ENGINE + "head/near.rs",
        "start.eq_ignore_ascii_case(&self.path).then_some(rest)",
        "(start == &*self.path).then_some(rest)",
        ENGINE_FIRST,
    ),
    Mutation(
        "final-slash-makes-another-path",
        ENGINE + "head/near.rs",
        "            Some([]) => true,\n",
        "            Some([]) => true,\n            Some(b\"/\") => false,\n",
        ENGINE_FIRST,
    ),
    Mutation(
        "final-slash-guarded-only-with-it",
        ENGINE + "head/near.rs",
        "form.of(text.strip_suffix('/').unwrap_or(text).as_bytes());",
        "form.of(text.as_bytes());",
        ENGINE_FIRST,
    ),
    Mutation(
        "format-suffix-makes-another-path",
        ENGINE + "head/near.rs",
        'b"-_".contains(next)',
        'b"-_.".contains(next)',
        ENGINE_FIRST,
    ),
    Mutation(
        "optional-escapes-make-another-path",
        ENGINE + "head/endpoint.rs",
        "matches!(shorter, Cow::Owned(_))\n"
        "            && index",
        "matches!(shorter, Cow::Borrowed(_))\n"
        "            && index",
        ENGINE_FIRST,
    ),
    Mutation(
        "path-parameters-pass",
        FORMAT + "path.rs",
        "Self::Plain(b';') => Some(PathFault::Parameter),",
        "Self::Plain(b';') => None,",
        FORMAT_FIRST,
    ),
    Mutation(
        "segments-judged-undecoded",
        FORMAT + "path.rs",
        "            _ => match decode_path(segment).trim_ascii() {",
        "            _ => match segment {",
        FORMAT_FIRST,
    ),
    Mutation(
        "final-dot-of-a-host-passes",
        FORMAT + "host.rs",
        "    host.split('.').all(label)",
        "    host.strip_suffix('.').unwrap_or(host).split('.').all(label)",
        FORMAT_FIRST,
    ),
    Mutation(
        "empty-labels-of-a-host-pass",
        FORMAT + "host.rs",
        "!label.is_empty() && label.bytes().all(plain);",
        "label.bytes().all(plain);",
        FORMAT_FIRST,
    ),
    Mutation(
        "long-ipv6-addresses-pass",
        FORMAT + "host.rs",
        "canonical_ipv6(host).is_some_and(|canonical| canonical == host)",
        "canonical_ipv6(host).is_some()",
        FORMAT_FIRST,
    ),
    Mutation(
        "host-suffixes-need-no-dot",
        ENGINE + "head/host.rs",
        """            .strip_suffix('.')
            .is_some_and(|label| !label.is_empty())""",
        """            .is_empty()
            .eq(&false)""",
        ENGINE_FIRST,
    ),
    Mutation(
        "entries-of-other-hosts-taken-for-useless",
        COMPILER + "lower/doors.rs",
        "        .filter(|endpoint| covers_hosts(&endpoint.hosts, &entry.hosts))",
        "        .filter(|endpoint| covers_hosts(&endpoint.hosts, &entry.hosts) || true)",
        COMPILED,
    ),
    Mutation(
        "entries-below-a-host-compared-without-dot",
        COMPILER + "lower/doors.rs",
        ".is_some_and(|rest| rest.ends_with('.'))",
        ".is_some()",
        COMPILED,
    ),
    Mutation(
        "closed-entries-compile",
        COMPILER + "lower/doors.rs",
        "    if pairs().any(closed) {",
        "    if pairs().any(closed) && false {",
        COMPILED,
    ),
    Mutation(
        "misread-paths-compile",
        COMPILER + "lower/doors.rs",
        "    near(other).is_some_and(|length| near(own) <= Some(length))",
        "    near(other).is_some_and(|length| near(own) <= Some(length)) && false",
        COMPILED,
    ),
]
