"""What results are made of, as on the wire."""

import mcp_types as types

# One red pixel, and two samples of silence.
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
WAV = "UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQQAAAAAAAAA"


def text(words):
    return {"type": "text", "text": words}


def resource(uri, mime, words):
    return {"type": "resource", "resource": {"uri": uri, "mimeType": mime, "text": words}}


def image():
    return {"type": "image", "data": PNG, "mimeType": "image/png"}


def form(message, properties, required=None):
    """An elicitation, as the request that an input-required result carries."""
    schema = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return {"method": "elicitation/create", "params": {"mode": "form", "message": message, "requestedSchema": schema}}


def sampling(prompt, tokens):
    messages = [{"role": "user", "content": text(prompt)}]
    return {"method": "sampling/createMessage", "params": {"messages": messages, "maxTokens": tokens}}


ROOTS = {"method": "roots/list", "params": {}}


def ask(requests, state=None):
    """An input-required result: what the client must answer before it asks again."""
    wire = {"resultType": "input_required", "inputRequests": requests}
    if state is not None:
        wire["requestState"] = state
    return types.InputRequiredResult.model_validate(wire)


def answered(params, *keys):
    """The answers to all of `keys`, as on the wire; `None` if one is missing or of another kind."""
    found = []
    for key in keys:
        answer = (params.input_responses or {}).get(key)
        if answer is None:
            return None
        found.append(answer.model_dump(by_alias=True, mode="json", exclude_none=True))
    return found


def elicited(answer, field):
    return (answer.get("content") or {}).get(field)
