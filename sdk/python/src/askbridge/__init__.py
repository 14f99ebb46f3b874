"""Ask people in Slack and Discord, and wait for exactly what they choose.

    from askbridge import Askbridge, NewQuestion, NewRequest, Place

    with Askbridge() as bridge:
        request = bridge.ask(NewRequest(
            [NewQuestion("Which database?", ["Postgres", "SQLite"])],
            to=[Place("slack", "C0000001")],
        ))
    print(request.text if request.state == "answered" else f"no answer: {request.state}")
"""

from ._client import Askbridge, AsyncAskbridge
from ._errors import (
    AskbridgeError,
    AuthenticationError,
    ConflictError,
    ConnectionFailedError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
    ProblemError,
    RateLimitError,
    Remark,
    SignatureError,
    UnavailableError,
    WaitTimeoutError,
)
from ._tool import async_question_tool, question_tool, text_of
from ._types import (
    Answer,
    AnsweredRequest,
    AskRequest,
    Choice,
    Count,
    Delivery,
    EndedRequest,
    Event,
    NewPolicy,
    NewQuestion,
    NewRequest,
    OpenRequest,
    Option,
    Page,
    Person,
    Place,
    Question,
    State,
    ToolCall,
    ToolResult,
    UnansweredRequest,
    Vote,
    Voting,
    Webhook,
    WebhookEvent,
)
from ._webhook import verify_webhook

__all__ = [
    "Answer",
    "AnsweredRequest",
    "AskRequest",
    "Askbridge",
    "AskbridgeError",
    "AsyncAskbridge",
    "AuthenticationError",
    "Choice",
    "ConflictError",
    "ConnectionFailedError",
    "Count",
    "Delivery",
    "EndedRequest",
    "Event",
    "InvalidRequestError",
    "NewPolicy",
    "NewQuestion",
    "NewRequest",
    "NotFoundError",
    "OpenRequest",
    "Option",
    "Page",
    "PermissionDeniedError",
    "Person",
    "Place",
    "ProblemError",
    "Question",
    "RateLimitError",
    "Remark",
    "SignatureError",
    "State",
    "ToolCall",
    "ToolResult",
    "UnansweredRequest",
    "UnavailableError",
    "Vote",
    "Voting",
    "WaitTimeoutError",
    "Webhook",
    "WebhookEvent",
    "async_question_tool",
    "question_tool",
    "text_of",
    "verify_webhook",
]
