//! Resource URIs and templates of public MCP servers, with where they come
//! from. Values are filled in where a source gives a template only.

/// `(URI or template, server or source)`: these stay legal under
/// `resource_uris: strict`.
pub const REAL: &[(&str, &str)] = &[
    (
        "test://static/resource/1",
        "modelcontextprotocol/servers, everything",
    ),
    (
        "demo://resource/dynamic/text/{resourceId}",
        "modelcontextprotocol/servers, everything",
    ),
    (
        "demo://resource/static/document/architecture.md",
        "modelcontextprotocol/servers, everything",
    ),
    (
        "memo://insights",
        "modelcontextprotocol/servers-archived, sqlite",
    ),
    (
        "postgres://user@db.example/shop/users/schema",
        "modelcontextprotocol/servers-archived, postgres",
    ),
    (
        "gdrive:///1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms",
        "modelcontextprotocol/servers-archived, gdrive",
    ),
    (
        "console://logs",
        "modelcontextprotocol/servers-archived, puppeteer",
    ),
    ("screenshot://{name}", "browserbase/mcp-server-browserbase"),
    (
        "file:///home/user/documents/report.pdf",
        "modelcontextprotocol.io, resources",
    ),
    (
        "file:///project/src/main.rs",
        "modelcontextprotocol.io, resources",
    ),
    (
        "postgres://database/customers/schema",
        "modelcontextprotocol.io, resources",
    ),
    (
        "screen://localhost/display1",
        "modelcontextprotocol.io, resources",
    ),
    (
        "ui://get-time/mcp-app.html",
        "modelcontextprotocol/ext-apps",
    ),
    ("ui://cerebro/metric_lab", "cerebro"),
    ("note:///1", "modelcontextprotocol/create-typescript-server"),
    (
        "note://internal/example",
        "modelcontextprotocol/create-python-server",
    ),
    (
        "greeting://{name}",
        "modelcontextprotocol/python-sdk, README",
    ),
    (
        "users://{userId}/profile",
        "modelcontextprotocol/typescript-sdk, README",
    ),
    (
        "config://app",
        "modelcontextprotocol/typescript-sdk, README",
    ),
    (
        "repo://{owner}/{repo}/contents{/path*}",
        "github/github-mcp-server",
    ),
    (
        "repo://{owner}/{repo}/refs/heads/{branch}/contents{/path*}",
        "github/github-mcp-server",
    ),
    (
        "repo://octocat/Hello-World/sha/7fd1a60b01f91b314f59955a4e4d4e80d8edf11d/contents/README",
        "github/github-mcp-server",
    ),
    (
        "github://PyGithub/PyGithub/issues/1",
        "servers over PyGithub",
    ),
    ("slack://C0123/messages", "Slack servers"),
    (
        "slack://my-workspace/channels",
        "korotovsky/slack-mcp-server",
    ),
    ("linear-viewer:", "jerhadf/linear-mcp-server"),
    ("linear-issue:///ENG-123", "jerhadf/linear-mcp-server"),
    (
        "linear-team:///{teamId}/issues",
        "jerhadf/linear-mcp-server",
    ),
    ("hass://entities/light.kitchen/detailed", "voska/hass-mcp"),
    ("hass://search/{query}/{limit}", "voska/hass-mcp"),
    ("cdk-nag://rules/{rule_pack}", "awslabs/mcp, cdk-mcp-server"),
    ("lambda-powertools://{topic}", "awslabs/mcp, cdk-mcp-server"),
    (
        "terraform://aws_best_practices",
        "awslabs/mcp, terraform-mcp-server",
    ),
    (
        "exported-data://{exportName}",
        "mongodb-js/mongodb-mcp-server",
    ),
    ("debug://mongodb", "mongodb-js/mongodb-mcp-server"),
    ("data://config", "jlowin/fastmcp, docs"),
    ("resource://memory.recall", "FastMCP memory server"),
    ("api://users{?version,limit,offset}", "jlowin/fastmcp, docs"),
    ("path://{filepath*}", "jlowin/fastmcp, docs"),
    ("s3://b//k", "object stores, keys that begin with a slash"),
    (
        "s3://my-bucket/reports/2024/q1%20final.csv",
        "aws-samples/sample-mcp-server-s3",
    ),
    ("mysql://users/data", "designcomputer/mysql_mcp_server"),
    ("redis://:6379/0", "Redis servers"),
    ("mongodb+srv://cluster0.example/shop", "MongoDB servers"),
    ("git+ssh://git@github.com/org/repo.git", "Git servers"),
    (
        "urn:isbn:0451450523",
        "modelcontextprotocol/php-sdk, issue 297",
    ),
    ("mailto:someone@example.com", "mail servers"),
    ("data:text/plain;base64,SGVsbG8sIFdvcmxkIQ==", "inline data"),
    ("http://[2001:db8::1]:8080/status", "web servers by address"),
    (
        "https://xn--bcher-kva.example/catalog",
        "web servers by punycode name",
    ),
    (
        "https://api.example.com/v1/users?limit=10&cursor=abc%3D%3D#top",
        "web APIs",
    ),
    (
        "http://localhost:3000/api/health",
        "web servers in development",
    ),
    ("codegen://runs/{run_id}", "codegen servers"),
    ("siteminder://objects/{obj_id}", "SiteMinder server"),
    ("list-tools://", "Pi-hole server"),
    ("aoa-discord://source-route", "aoa-discord"),
    ("pdf2md://docs/output-schema", "pdf2md"),
    ("security://patterns", "secret scanner"),
    ("agent-memory://status", "Agent Memory"),
    ("info://server", "example server"),
    ("research://record/{id}", "research server"),
    ("runbook://services/payments", "service runbooks"),
    ("velkin://components/button/api", "velkin"),
    ("smartbuilding://monitor/7/alerts", "smartbuilding"),
    ("brex://accounts/cash{/id}", "Brex server"),
    ("legal://documents/contract", "legal documents"),
    ("students://all", "student server"),
    ("lab://equipment", "lab server"),
    ("astra://tcai/state", "the_consciousness_ai"),
    ("file:///canvas.json", "canvas server"),
    ("memo://welcome", "studio server"),
    ("mc://versions/list", "Minecraft sources"),
    ("joan://tasks/{taskId}/comments", "joan"),
    ("log:///2024-12-25", "activity log server"),
    ("file:///logs/{name}.log", "punkpeye/fastmcp, README"),
    ("verification://runs/{invocationId}", "verification server"),
    ("c2n://runs/{slug}/source", "c2n"),
    ("polyglot://documentation/{section}", "polyglot"),
    ("evdata://vehicles/{id}", "EV data"),
    ("ironsworn://character/{gameID}", "ironsworn"),
    ("overseer://learning/entries/{entry_id}", "overseer"),
    ("app://{namespace}/{name}", "Giant Swarm server"),
    ("twapi://projects/{id}", "Teamwork server"),
    ("vibecms://nodes/{id}", "VibeCMS"),
    (
        "falcon://detections/search/fql-guide",
        "CrowdStrike/falcon-mcp",
    ),
    ("books://all", "library server"),
    (
        "ros-mcp://ros-metadata/actions/all",
        "robotmcp/ros-mcp-server",
    ),
    ("oracleforms://{module}/annotations", "oracleforms"),
    ("delphi://automation/workflow", "Delphi automation"),
    ("storage://config", "storage server"),
];

/// `(URI or template, source)`: these need `resource_uris: any`.
pub const NOT_CANONICAL: &[(&str, &str)] = &[
    ("file://{path}", "templates with the path as host"),
    ("file://changelog.md", "the same, filled in"),
    ("klaxon/open", "klaxon: no scheme"),
    (
        "/terraform/style-guide",
        "hashicorp/terraform-mcp-server: no scheme",
    ),
    (
        "weather://San Francisco/current",
        "weather servers: a blank",
    ),
    (
        "repo://octocat/hello/refs/heads/feature%2Fx",
        "templates filled in by RFC 6570: an escaped slash",
    ),
    ("https://example.com", "web pages without a path"),
];
