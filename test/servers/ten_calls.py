# Calls with a client that openapi-python-client generated: python ten_calls.py ADDRESS KEY
import importlib
import json
import pkgutil
import sys
from io import BytesIO

import pharos_client.api
from pharos_client import AuthenticatedClient, models
from pharos_client.api.chat import list_chat_sessions, send_chat_message
from pharos_client.api.connectors import (
    create_connector,
    create_cc_pair,
)
from pharos_client.api.ingestion import ingest_document, ingest_document_batch
from pharos_client.api.personas import list_personas
from pharos_client.api.search import search_documents
from pharos_client.api.settings import get_settings, update_settings
from pharos_client.api.state import get_version
from pharos_client.models.ingest_document_wait_for_type_0 import IngestDocumentWaitForType0
from pharos_client.types import File

# Imports every operation, including those that are not called below.
for module in pkgutil.walk_packages(pharos_client.api.__path__, "pharos_client.api."):
    importlib.import_module(module.name)

url, key = sys.argv[1:3]
client = AuthenticatedClient(base_url=url, token=key, timeout=120)


def document(document_id):
    return {
        "document": {
            "id": document_id,
            "semantic_identifier": "Okapi",
            "sections": [{"text": "The okapi lives in the forest."}],
            "metadata": {"animal": "okapi"},
        }
    }


assert get_version.sync(client=client).backend_version == "Development"

connector = create_connector.sync(
    client=client,
    body=models.ConnectorRequest.from_dict(
        {"name": "Typed", "source": "intranet", "input_type": "poll", "access_type": "public", "connector_specific_config": {}}
    ),
)
association = create_cc_pair.sync(connector.id, 0, client=client)
assert association.success is True

receipt = ingest_document.sync(
    client=client,
    wait_for=IngestDocumentWaitForType0.INDEXED,
    timeout_ms=30_000,
    body=models.IngestionRequest.from_dict(document("typed-1")),
)
assert receipt.already_existed is False

lines = json.dumps(document("typed-2")).encode() + b"\n"
batch = ingest_document_batch.sync_detailed(client=client, body=File(payload=BytesIO(lines)))
assert batch.status_code == 200
assert [json.loads(it).get("document_id") for it in batch.content.splitlines()][0] == "typed-2"

found = search_documents.sync(client=client, body=models.SearchRequest(query="okapi"))
assert found.results[0].document_id.startswith("typed-")

answer = send_chat_message.sync(
    client=client, body=models.SendMessageRequest(message="Where does the okapi live?", stream=False)
)
assert answer.answer

chats = list_chat_sessions.sync(client=client)
assert chats.sessions[0].id == answer.chat_session_id

assert list_personas.sync(client=client)[0].id == 0

update_settings.sync(client=client, body=models.SettingsUpdate(company_name="Typed"))
assert get_settings.sync(client=client).company_name == "Typed"

# Each packet type has its own class, and a packet is parsed as that class.
packet = models.Packet.from_dict(
    {
        "placement": {"turn_index": 0, "tab_index": 0, "sub_turn_index": None, "model_index": None},
        "obj": {"type": "custom_tool_args", "tool_name": "weather", "tool_args": {"city": "Kyiv"}},
    }
)
assert isinstance(packet.obj, models.CustomToolArgsPacket), type(packet.obj)
print("eleven calls")
