import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from 'vitest'
import { parseClientLabel } from '../../../electron/services/client-proxy/recorded-clients.ts'
import { createTarget, TOKEN } from '../../support/services/test-client.ts'
import { sendRawRequest, buildRequestText } from '../../support/browser/raw-http.ts'
import { startClientProxy } from '../../support/services/client-proxy.ts'

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const startTestProxy = (serve?: http.RequestListener, locked?: boolean) => startClientProxy(closing, serve, locked)

const getErrorCode = ({ body }: { readonly body: string }): unknown => {
  const value = JSON.parse(body) as { error: { code: string; message: string } }
  expect(typeof value.error.message).toBe('string')
  return value.error.code
}

test('a client keeps its id under any label, and simultaneous programs have separate ids', async () => {
  const { port, key, recorder, clientProxy } = await startTestProxy()
  const buildRequest = (agent: string): string =>
    `GET /bridge/v1/capabilities HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${key}\r\nUser-Agent: ${agent}\r\n\r\n`
  const openConnection = async (): Promise<{ send: (agent?: string) => Promise<void>; end: () => Promise<void> }> => {
    const socket = net.connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return {
      async send(agent = 'script/1.0') {
        const before = recorder.exchanges.length
        socket.write(buildRequest(agent))
        await expect.poll(() => recorder.exchanges.length).toBe(before + 1)
      },
      async end() {
        socket.destroy()
        // The listener needs a moment to notice the end.
        await new Promise((resolve) => setTimeout(resolve, 50))
      },
    }
  }
  const first = await openConnection()
  await first.send()
  clientProxy.setLabel('nightly')
  await first.send()
  await first.end()
  const second = await openConnection()
  await second.send()
  const parallel = await openConnection()
  await parallel.send()
  await second.send()
  await second.end()
  await parallel.end()
  const last = await openConnection()
  await last.send()
  await last.send('other/2.0')
  await last.end()
  const origins = recorder.exchanges.map(({ start }) => start.origin)
  expect(origins.map(({ label }) => label)).toEqual(['script/1.0', ...Array<string>(6).fill('nightly')])
  expect(origins.map(({ load }) => load)).toEqual([1, 1, 1, 2, 1, 3, 3])
  expect(new Set(origins.slice(0, 6).map(({ caller }) => caller)).size).toBe(1)
  expect(origins[6]?.caller).not.toBe(origins[0]?.caller)
})

describe('safety 56: access to a recording', () => {
  test('is given to a client with the key or the token of the connected host, and the host gets the token', async () => {
    const { sendRequest, requests, key, recorder } = await startTestProxy()
    for (const credential of [key, TOKEN]) {
      expect(
        await sendRequest('GET', '/bridge/v1/capabilities', [`Authorization: Bearer ${credential}`]),
      ).toMatchObject({
        status: 200,
        body: 'ok',
      })
    }
    expect(requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/bridge/v1/capabilities', `Bearer ${TOKEN}`],
      ['/bridge/v1/capabilities', `Bearer ${TOKEN}`],
    ])
    await expect.poll(() => recorder.exchanges.length).toBe(2)
    expect(recorder.exchanges.map(({ start }) => start.origin.kind)).toEqual(['recorded', 'recorded'])
    expect(JSON.stringify(recorder.exchanges.map(({ start }) => start.headers))).not.toContain(key)
  })

  test('is refused to all others, without a request to the host or a record', async () => {
    const { sendRequest, requests, key, port, recorder, clientProxy } = await startTestProxy()
    const refusals: [readonly string[], number, string][] = [
      [[], 401, 'UNAUTHORIZED'],
      [['Authorization: Bearer'], 401, 'UNAUTHORIZED'],
      [[`Authorization: ${key}`], 401, 'UNAUTHORIZED'],
      [[`Authorization: Basic ${key}`], 401, 'UNAUTHORIZED'],
      [[`Authorization: Bearer ${key}x`], 401, 'UNAUTHORIZED'],
      [[`Authorization: Bearer ${key.slice(0, -1)}`], 401, 'UNAUTHORIZED'],
      [[`Authorization: Bearer ${key}`, `Authorization: Bearer ${key}`], 401, 'UNAUTHORIZED'],
      [[`X-Bridge-Token: ${key}`], 401, 'UNAUTHORIZED'],
      [[`Authorization: Bearer ${key}`, 'Origin: null'], 403, 'FORBIDDEN_ORIGIN'],
      [[`Authorization: Bearer ${key}`, `Origin: http://127.0.0.1:${port}`], 403, 'FORBIDDEN_ORIGIN'],
      [[`Authorization: Bearer ${key}`, 'Origin:'], 403, 'FORBIDDEN_ORIGIN'],
      [[`Authorization: Bearer ${key}`, `Host: 127.0.0.1:${port}`], 400, ''],
    ]
    for (const [lines, status, code] of refusals) {
      const response = await sendRequest('GET', '/bridge/v1/status', lines)
      expect([lines, response.status]).toEqual([lines, status === 400 ? response.status : status])
      if (code !== '') expect(getErrorCode(response)).toBe(code)
      else expect(response.status).toBeGreaterThanOrEqual(400)
    }
    for (const host of ['evil', `evil:${port}`, '127.0.0.1', `127.0.0.1.:${port}`, '', `[::1]:${port}`]) {
      const lines = [`Host: ${host}`, `Authorization: Bearer ${key}`]
      const response = await sendRawRequest(port, buildRequestText('GET', '/bridge/v1/status', lines))
      expect([host, response.status, getErrorCode(response)]).toEqual([host, 403, 'FORBIDDEN_HOST'])
    }
    expect([requests.length, recorder.exchanges.length, clientProxy.state().passed]).toEqual([0, 0, 0])
    expect(clientProxy.state().refused).toBeGreaterThanOrEqual(refusals.length + 5)
  })

  test('may use the token header of the profile', async () => {
    const { sendRequest, setTarget, requests, key, host } = await startTestProxy()
    setTarget(createTarget(host.baseUrl, { auth: { header: 'X-Bridge-Token', scheme: '' } }))
    expect((await sendRequest('GET', '/bridge/v1/status', [`X-Bridge-Token: ${TOKEN}`])).status).toBe(200)
    expect((await sendRequest('GET', '/bridge/v1/status', [`X-Bridge-Token: ${key}`])).status).toBe(200)
    expect((await sendRequest('GET', '/bridge/v1/status', [`X-Bridge-Token: Bearer ${key}`])).status).toBe(401)
    expect(requests.map(({ headers }) => headers['x-bridge-token'])).toEqual([TOKEN, TOKEN])
  })

  test('never reveals the token to a client that has only the key', async () => {
    const echoAuthorization = (request: http.IncomingMessage, response: http.ServerResponse): void => {
      response.setHeader('X-Echo', request.headers.authorization ?? '')
      response.end(request.headers.authorization)
    }
    const { sendRequest, key } = await startTestProxy(echoAuthorization)
    const response = await sendRequest('GET', '/bridge/v1/status', [`Authorization: Bearer ${key}`])
    expect(JSON.stringify(response)).not.toContain(TOKEN)
    // A client that has the token gets the response unchanged.
    expect((await sendRequest('GET', '/bridge/v1/status', [`Authorization: Bearer ${TOKEN}`])).body).toBe(
      `Bearer ${TOKEN}`,
    )
  })

  test('covers only paths below /bridge/v1/', async () => {
    const { sendRequest, requests } = await startTestProxy()
    for (const path of ['/', '/bridge/v1', '/bridge/v10/status', '/other', '//bridge/v1/x', '*']) {
      expect([path, (await sendRequest('GET', path)).status]).toEqual([path, 404])
    }
    for (const path of ['/bridge/v1/../x', '/bridge/v1/%2e%2e/x', '/bridge/v1/a%2f..%2fx']) {
      expect([path, getErrorCode(await sendRequest('GET', path))]).toEqual([path, 'PATH_OUTSIDE'])
    }
    expect(requests).toEqual([])
  })
})

describe('safety 56, safety 40: read-only mode of a recording', () => {
  test.each([
    ['POST', '/bridge/v1/notes/N/blank-bands', [], '{}'],
    ['DELETE', '/bridge/v1/notes/N', [], ''],
    ['POST', '/bridge/v1/nobody-knows', [], '{}'],
    ['PATCH', '/bridge/v1/status', [], '{}'],
    ['POST', '/bridge/v1/notes//batch-get', [], '{}'],
    ['POST', '/bridge/v1/notes%2fbatch-get', [], '{}'],
    ['GET', '/bridge/v1/status', ['X-HTTP-Method-Override: DELETE'], ''],
    ['GET', '/bridge/v1/status', ['X-HTTP-Method: DELETE'], ''],
    ['GET', '/bridge/v1/status?_method=DELETE', [], ''],
    ['POST', '/bridge/v1/notes/batch-get', [], '{"noteIds":["N"],"_method":"DELETE"}'],
    ['POST', '/bridge/v1/notes/batch-get', [], '_method=DELETE'],
    ['POST', '/bridge/v1/documents/D/locate', [], '{"Navigate":true}'],
    ['POST', '/bridge/v1/documents/D/locate', [], '[{"navigate":true}]'],
    ['POST', '/bridge/v1/documents/D/locate', [], '{"text":"x","navigate":true}'],
    ['POST', '/bridge/v1/documents/D/locate', [], '{"navigate":true,"navigate":false}'],
    ['POST', '/bridge/v1/documents/D/locate', [], 'not json'],
  ])('refuses %s %s %s %s', async (method, path, lines, body) => {
    const { sendRequest, requests, key, clientProxy } = await startTestProxy()
    const response = await sendRequest(method, path, [`Authorization: Bearer ${key}`, ...lines], body)
    expect([response.status, getErrorCode(response)]).toEqual([403, 'READ_ONLY'])
    await expect.poll(() => clientProxy.state()).toMatchObject({ refused: 1, locked: 1 })
    expect(response.body).toContain('read-only')
    expect(requests).toEqual([])
  })

  test('reads a body of unknown length up to a limit to judge it, and passes it on', async () => {
    const { requests, port, key } = await startTestProxy()
    const lines = [`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${key}`, 'Transfer-Encoding: chunked']
    const head = buildRequestText('POST', '/bridge/v1/notes/batch-get', lines)
    const sendChunked = (body: string) =>
      sendRawRequest(port, `${head}${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`)
    expect((await sendChunked('{"noteIds":["N"]}')).status).toBe(200)
    expect(getErrorCode(await sendChunked(`{"noteIds":[],"filler":"${'x'.repeat(1_100_000)}"}`))).toBe('READ_ONLY')
    expect(requests).toHaveLength(1)
  })

  test('lets reads pass with any method, and everything once it is off', async () => {
    const { sendRequest, requests, setTarget, host } = await startTestProxy()
    expect((await sendRequest('POST', '/bridge/v1/notes/batch-get', undefined, '{"noteIds":[]}')).status).toBe(200)
    expect((await sendRequest('POST', '/bridge/v1/documents/D/locate', undefined, '{"text":"x"}')).status).toBe(200)
    setTarget(createTarget(host.baseUrl, { isReadOnly: false }))
    expect((await sendRequest('POST', '/bridge/v1/notes/N/blank-bands', undefined, '{"role":"practice"}')).status).toBe(
      200,
    )
    expect(requests).toHaveLength(3)
  })
})

describe('host of a recording', () => {
  test('has its own error if it is not connected, gone or silent', async () => {
    const { sendRequest, setTarget, host } = await startTestProxy()
    setTarget(null)
    const notConnected = await sendRequest('GET', '/bridge/v1/status')
    expect([notConnected.status, getErrorCode(notConnected)]).toEqual([502, 'NOT_CONNECTED'])
    setTarget(createTarget(host.baseUrl))
    await host.close()
    const refused = await sendRequest('GET', '/bridge/v1/status')
    expect([refused.status, getErrorCode(refused)]).toEqual([502, 'CONNECTION_REFUSED'])
  })

  test('ends the recording if another host is connected, so that no client reaches the wrong host', async () => {
    const { setTarget, clientProxy, port, key, host, notices } = await startTestProxy()
    const other = await startTestProxy()
    setTarget(createTarget(other.host.baseUrl))
    await expect.poll(() => clientProxy.state().on).toBe(false)
    expect(clientProxy.state()).toMatchObject({ baseUrl: null, key: null })
    expect(notices).toMatchObject([{ code: 'RECORDING_STOPPED' }])
    const laterRequest = sendRawRequest(
      port,
      buildRequestText('GET', '/bridge/v1/status', [`Host: 127.0.0.1:${port}`, `Authorization: Bearer ${key}`]),
    )
    await expect(laterRequest).rejects.toThrow()
    expect(other.requests).toEqual([])
    await host.close()
  })

  test('may get a new token, which replaces the old one at once', async () => {
    const { sendRequest, setTarget, host } = await startTestProxy()
    const next = 'mnb0.Another-Token/Of+This~Machine_9sK2.q7Wz'
    setTarget(createTarget(host.baseUrl, { token: next }))
    expect((await sendRequest('GET', '/bridge/v1/status', [`Authorization: Bearer ${TOKEN}`])).status).toBe(401)
    expect((await sendRequest('GET', '/bridge/v1/status', [`Authorization: Bearer ${next}`])).status).toBe(200)
  })
})

describe('connection of a client', () => {
  test('has responses in order when it is kept alive and pipelined', async () => {
    const { port, key } = await startTestProxy((request, response) => void response.end(request.url))
    const lines = [`Host: localhost:${port}`, `Authorization: Bearer ${key}`]
    const buildGet = (path: string): string => [`GET /bridge/v1${path} HTTP/1.1`, ...lines, '', ''].join('\r\n')
    const response = await sendRawRequest(
      port,
      buildGet('/a') + buildGet('/b') + buildRequestText('GET', '/bridge/v1/c', lines),
    )
    const all = JSON.stringify(response)
    expect(['/bridge/v1/a', '/bridge/v1/b', '/bridge/v1/c'].map((url) => all.indexOf(url) > 0)).toEqual([
      true,
      true,
      true,
    ])
    expect(all.indexOf('v1/a')).toBeLessThan(all.indexOf('v1/b'))
    expect(all.indexOf('v1/b')).toBeLessThan(all.indexOf('v1/c'))
  })

  test('streams a hundred megabytes up and down', async () => {
    const size = 100 * 1024 * 1024
    const { port, key, recorder } = await startTestProxy((request, response) => request.pipe(response), false)
    const piece = Buffer.alloc(1024 * 1024, 'x')
    const body = Readable.from(Array.from({ length: 100 }, () => piece))
    const request = http.request({
      port,
      method: 'POST',
      path: '/bridge/v1/nobody-knows',
      headers: { Authorization: `Bearer ${key}` },
    })
    body.pipe(request)
    const received = await new Promise<number>((resolve, reject) => {
      request.on('error', reject)
      request.on('response', (response) => {
        let total = 0
        response.on('data', (bytes: Buffer) => (total += bytes.byteLength))
        response.on('end', () => resolve(total))
      })
    })
    expect(received).toBe(size)
    await expect.poll(() => recorder.exchanges.length).toBe(1)
    expect(recorder.exchanges[0]?.end.sentBody).toMatchObject({ bytes: size, isWhole: true })
    expect(recorder.exchanges[0]?.end.body?.byteLength).toBe(1024 * 1024)
  })

  test('survives a flood of strangers', async () => {
    const { port, key, clientProxy } = await startTestProxy()
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    closing.push(() => agent.destroy())
    const requestStatus = (): Promise<boolean> =>
      new Promise((resolve, reject) => {
        const request = http.get({
          port,
          agent,
          path: '/bridge/v1/status',
          headers: { Authorization: `Bearer ${key}` },
        })
        request.on('error', reject)
        request.on('response', (response) => void buffer(response).then(() => resolve(request.reusedSocket)))
      })
    expect(await requestStatus()).toBe(false)
    for (let count = 0; count < 12; count += 1)
      await sendRawRequest(port, 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n')
    expect(await requestStatus()).toBe(true)
    expect(clientProxy.state().passed).toBe(2)
  })
})

test('a label is one clean short line from the client', () => {
  expect(parseClientLabel('curl/8.14.1')).toBe('curl/8.14.1')
  expect(parseClientLabel('Mozilla/5.0 (X11) Foo')).toBe('Mozilla/5.0')
  expect(parseClientLabel(undefined)).toBe('client')
  expect(parseClientLabel('\u0000\u3164\u202e')).toBe('⟨U+0000⟩⟨U+3164⟩⟨U+202E⟩')
  expect(parseClientLabel(' ')).toBe('client')
  expect(parseClientLabel('x'.repeat(300))).toHaveLength(60)
})

test('a recording is off at first, a repeated start changes only its label, and each start has its own key', async () => {
  const { clientProxy, key } = await startTestProxy()
  expect((await clientProxy.start({ label: ` my\n${TOKEN} tool ` })).key).toBe(key)
  expect(clientProxy.state().label).toBe('my [redacted] tool')
  expect((await clientProxy.stop()).on).toBe(false)
  const restarted = await clientProxy.start({})
  expect(restarted.key).not.toBe(key)
  expect(Buffer.from(restarted.key ?? '', 'base64url')).toHaveLength(32)
})
