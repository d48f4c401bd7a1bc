import { createHash } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server for updates on loopback, and the requests that it received. */
export interface UpdateServer {
  readonly url: string
  /** Method, path without its query, and the headers of each request. */
  readonly requests: { readonly line: string; readonly headers: http.IncomingHttpHeaders }[]
  /** Served files by path; a function writes the response itself. */
  readonly files: Map<string, string | Buffer | ((response: http.ServerResponse) => void)>
  close(): Promise<void>
}

export async function startUpdateServer(): Promise<UpdateServer> {
  const files: UpdateServer['files'] = new Map()
  const requests: UpdateServer['requests'] = []
  const server = http.createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://feed')
    requests.push({ line: `${request.method} ${pathname}`, headers: request.headers })
    const file = files.get(pathname)
    if (file === undefined) return void response.writeHead(404).end()
    if (typeof file === 'function') return file(response)
    response.writeHead(200, { 'Content-Length': Buffer.byteLength(file) }).end(file)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    requests: requests,
    files,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** The description of a version as electron-builder writes it. */
export function buildUpdateDescription(version: string, name: string, body: Buffer, more = ''): string {
  const sha512 = createHash('sha512').update(body).digest('base64')
  return `version: ${version}\nfiles:\n  - url: ${name}\n    sha512: ${sha512}\n    size: ${body.length}\npath: ${name}\nsha512: ${sha512}\n${more}`
}
