"""Reads requests of OTLP by the published schema.

For tests only; internal/trace/schema_test.go runs it with the Python that
scripts/test-setup.sh installs.
Standard input: a request in hex a line. Prints one JSON object a line: the request by the
names of the schema. A request that holds what the schema does not know ends it.
"""

import json
import sys

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

for line in sys.stdin:
    body = bytes.fromhex(line)
    request = ExportTraceServiceRequest.FromString(body)
    request.DiscardUnknownFields()
    if request.SerializeToString() != body:
        sys.exit("the request is not what the schema would write of it")
    print(json.dumps(MessageToDict(request, preserving_proto_field_name=True)))
