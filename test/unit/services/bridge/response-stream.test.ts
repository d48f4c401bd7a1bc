import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import type { BridgeStream } from '../../../../electron/services/bridge/types.ts'
import { getEndpoint } from '../../../../shared/bridge/endpoints/index.ts'
import {
  respond,
  sendBrotliBomb,
  sendEndlessBody,
  respondHostError,
  behaveInTurn,
  respondRedirect,
  stallBody,
  type Behaviour,
} from '../../../support/hosts/behaviours.ts'
import { expectAppError, createTarget, createTestClient, TOKEN } from '../../../support/services/test-client.ts'
import { createCertificate } from '../../../support/hosts/certificates.ts'
import { startMisbehavingHost, type MisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'
import { inspectError, expectNoSecret } from '../../../support/data/secrets.ts'

const hosts: MisbehavingHost[] = []
const { client, exchanges } = createTestClient()

async function startHost(behaviour: Behaviour, options = {}): Promise<MisbehavingHost> {
  const started = await startMisbehavingHost(behaviour, options)
  hosts.push(started)
  return started
}
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((started) => started.close()))
  exchanges.length = 0
})

const content = { endpoint: getEndpoint('notes.content'), params: { noteid: 'N', contentId: 'c' } }
const openStream = (server: MisbehavingHost, more = {}, target = {}): Promise<BridgeStream> =>
  client.openStream(createTarget(server.baseUrl, target), { ...content, ...more })

async function readAll({ body }: BridgeStream): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of body) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

describe('response read as a stream', () => {
  test('has its metadata, and is reported once when it ends', async () => {
    const server = await startHost(respond('picture', { type: 'image/png' }))
    const stream = await openStream(server)
    expect([stream.length, stream.meta.contentType, stream.meta.path]).toEqual([7, 'image/png', '/notes/N/content/c'])
    expect(exchanges).toEqual([])
    expect((await readAll(stream)).toString()).toBe('picture')
    await expect.poll(() => exchanges.length).toBe(1)
    expect(exchanges[0]).toMatchObject({
      id: stream.meta.exchangeId,
      endpoint: 'notes.content',
      status: 200,
      bytes: 7,
      error: null,
      attempt: 1,
    })
  })

  test('leaves its connection to the next request once it is read', async () => {
    const server = await startHost(respond('x'.repeat(100_000), { type: 'image/png' }))
    for (let round = 0; round < 3; round += 1) await readAll(await openStream(server))
    expect(server.countConnections().accepted).toBe(1)
  })

  test('ends at the host when it is released, and is reported as canceled', async () => {
    const server = await startHost(sendEndlessBody('x', { 'Content-Type': 'video/mp4' }))
    const { body } = await openStream(server)
    await body[Symbol.asyncIterator]().next()
    body.destroy()
    await expect.poll(() => server.countConnections().open).toBe(0)
    await expect.poll(() => exchanges.length).toBe(1)
    expect(exchanges[0]?.error?.kind).toBe('cancelled')
  })

  test('fails as canceled by its signal, before and after its head', async () => {
    const server = await startHost(stallBody('x'))
    for (const after of [false, true]) {
      const abort = new AbortController()
      const opening = openStream(server, { signal: abort.signal })
      const reading = after ? opening.then(readAll) : opening
      setTimeout(() => abort.abort(), after ? 100 : 0)
      expect((await expectAppError(reading)).kind).toBe('cancelled')
    }
    await expect.poll(() => server.countConnections().open).toBe(0)
  })

  test('has no idle timeout while nobody reads it', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 9000\r\n\r\n'
    const server = await startHost((socket) => void socket.write(head + 'x'.repeat(1_000)))
    const { body } = await openStream(server, { limits: { idleTimeoutMs: 300 } })
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(body.destroyed).toBe(false)
    const failure = await expectAppError(readAll({ body } as BridgeStream))
    expect(failure.wire).toMatchObject({ kind: 'timeout', code: 'TIMEOUT_IDLE' })
  })

  test('fails with the number of received bytes if it breaks off', async () => {
    const server = await startHost(respond('x'.repeat(500), { length: 9_000, type: 'image/png' }))
    const failure = await expectAppError(openStream(server).then(readAll))
    expect(failure.wire).toMatchObject({ kind: 'malformed', code: 'TRUNCATED', params: { received: 500 } })
  })

  test('safety 34: is decompressed while it is read, with an unknown length', async () => {
    const server = await startHost(sendBrotliBomb())
    const { body, length } = await openStream(server)
    expect(length).toBeNull()
    let size = 0
    for await (const piece of body) {
      size += (piece as Buffer).length
      if (size > 20_000_000) break
    }
    expect(body.destroyed).toBe(true)
    expect(size).toBeLessThan(40_000_000)
  })

  test.each([
    ['picture', 200],
    ['{"error":{"code":"GONE","message":"x"}}', 404],
  ])('is recorded as received if it does not decode', async (text, status) => {
    const recording = createTestClient({}, 1_000)
    const headers = { 'Content-Encoding': 'gzip' }
    const server = await startHost(respond(text, { status, type: 'image/png', headers }))
    const opening = recording.client.openStream(createTarget(server.baseUrl), content)
    if (status === 200) expect((await readAll(await opening)).toString()).toBe(text)
    else expect((await expectAppError(opening)).wire).toMatchObject({ kind: 'host', code: 'GONE' })
    await expect.poll(() => recording.exchanges.length).toBe(1)
    expect(recording.exchanges[0]).toMatchObject({ status, bytes: text.length, missing: 'encoded' })
  })

  test('an encoded body that trickles in is slow, not silent', async () => {
    const bytes = gzipSync('x'.repeat(1_000))
    const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${bytes.length}\r\n\r\n`
    const server = await startHost((socket) => {
      socket.write(head)
      let offset = 0
      const timer = setInterval(() => {
        socket.write(bytes.subarray(offset, offset + 1))
        offset += 1
        if (offset === bytes.length) clearInterval(timer)
      }, 60)
    })
    const stream = await openStream(server, { limits: { idleTimeoutMs: 1_000 } })
    expect((await readAll(stream)).toString()).toBe('x'.repeat(1_000))
  })

  test('replaces a dead connection', async () => {
    const server = await startHost(respond('one', { type: 'image/png' }))
    await readAll(await openStream(server))
    server.setBehaviour(behaveInTurn((socket) => void socket.destroy(), respond('two', { type: 'image/png' })))
    const replacement = await openStream(server)
    expect((await readAll(replacement)).toString()).toBe('two')
    // The host may have seen each of the three requests, so each is an exchange.
    await expect.poll(() => exchanges.length).toBe(3)
    const [, dead, replaced] = exchanges
    expect(dead).toMatchObject({ attempt: 1, status: null, error: { kind: 'offline' } })
    expect(replaced).toMatchObject({ attempt: 2, status: 200, error: null, id: replacement.meta.exchangeId })
    expect(replaced?.id).not.toBe(dead?.id)
  })

  test('safety 3: follows no redirect', async () => {
    const other = await startHost(respond('stolen'))
    const server = await startHost(respondRedirect(307, `${other.baseUrl}/x?t=${TOKEN}`))
    const failure = await expectAppError(openStream(server))
    expect(failure.code).toBe('REDIRECT_REFUSED')
    expectNoSecret(inspectError(failure), TOKEN)
    expect(other.requests).toEqual([])
  })

  test('safety 2: has no token in an error that echoes it', async () => {
    const server = await startHost(respondHostError(404, { code: TOKEN, message: `no ${TOKEN}`, details: [TOKEN] }))
    expectNoSecret(inspectError(await expectAppError(openStream(server))), TOKEN)
    expectNoSecret(JSON.stringify(exchanges), TOKEN)
  })

  test('safety 7: sends nothing before the pinned certificate is verified', async () => {
    const [good, other] = await Promise.all([createCertificate(), createCertificate()])
    const server = await startHost(respond('x', { type: 'image/png' }), { certificate: good })
    expect((await expectAppError(openStream(server))).code).toBe('TLS_UNTRUSTED')
    const wrong = Array.from({ length: 32 }, () => 'AA').join(':')
    const changed = await expectAppError(openStream(server, {}, { tlsFingerprint: wrong }))
    expect(changed.code).toBe('TLS_CHANGED')
    expect(server.getReceivedBytes()).toHaveLength(0)
    const tlsFingerprint = String(changed.wire.params?.['fingerprint'])
    expect((await readAll(await openStream(server, {}, { tlsFingerprint }))).toString()).toBe('x')
    server.useCertificate(other)
    const fresh = createTestClient().client
    const target = createTarget(server.baseUrl, { tlsFingerprint })
    expect((await expectAppError(fresh.openStream(target, content))).code).toBe('TLS_CHANGED')
    expect(server.requests).toHaveLength(1)
    fresh.close()
  })
})
