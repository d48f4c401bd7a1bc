import net from 'node:net'

export interface RawResponse {
  readonly status: number
  /** Lower-case names; the last of repeated ones. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/**
 * Sends exactly these bytes to a port on this machine and returns the answer; for headers `fetch`
 * will not send.
 */
export function sendRawRequest(port: number, text: string): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(text))
    let received = ''
    socket.setEncoding('utf8')
    socket.on('data', (piece: string) => {
      received += piece
    })
    // A client refused while still sending may see the connection reset after the answer.
    socket.on('error', (error) => received === '' && reject(error))
    socket.on('close', () => resolve(parseResponse(received)))
  })
}

/**
 * A request as text; `Connection: close` so that the end of the answer is the end of the socket.
 */
export function buildRequestText(method: string, path: string, headers: readonly string[], body = ''): string {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`]
  return [`${method} ${path} HTTP/1.1`, ...headers, ...length, 'Connection: close', '', body].join('\r\n')
}

function parseResponse(text: string): RawResponse {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [statusLine = '', ...lines] = head.split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const colon = line.indexOf(':')
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim()
  }
  return { status: Number(statusLine.split(' ')[1] ?? 0), headers, body: rest.join('\r\n\r\n') }
}
