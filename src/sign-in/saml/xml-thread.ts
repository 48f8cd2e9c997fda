// The thread in which texts of strangers are parsed. It answers one request after another.
import { parentPort } from 'node:worker_threads'
import { type ReadMetadata, readMetadata } from './read-metadata.ts'
import { type ReadResponse, type ResponseRequest, readResponse } from './read-response.ts'

export type XmlRequest = { response: ResponseRequest } | { metadata: string }
export type XmlReply = ReadResponse | ReadMetadata

if (parentPort === null) throw new Error('XML is parsed in a thread of its own.')
const port = parentPort

port.on('message', (request: XmlRequest) => {
  if ('metadata' in request) port.postMessage(readMetadata(request.metadata) satisfies XmlReply)
  else void readResponse(request.response).then((reply) => port.postMessage(reply satisfies XmlReply))
})
