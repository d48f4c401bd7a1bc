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

async function host(behaviour: Behaviour, options = {}): Promise<MisbehavingHost> {
  const started = await startMisbehavingHost(behaviour, options)
  hosts.push(started)
  return started
}
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((started) => started.close()))
  exchanges.length = 0
})

const content = { endpoint: getEndpoint('notes.content'), params: { noteid: 'N', contentId: 'c' } }
const open = (server: MisbehavingHost, more = {}, target = {}): Promise<BridgeStream> =>
  client.openStream(createTarget(server.baseUrl, target), { ...content, ...more })

async function all({ body }: BridgeStream): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of body) pieces.push(piece as Buffer)
  return Buffer.concat(pieces)
}

describe('an answer read as a stream', () => {
  test('says what is known about it, and is reported once, when it is over', async () => {
    const server = await host(respond('picture', { type: 'image/png' }))
    const stream = await open(server)
    expect([stream.length, stream.meta.contentType, stream.meta.path]).toEqual([7, 'image/png', '/notes/N/content/c'])
    expect(exchanges).toEqual([])
    expect((await all(stream)).toString()).toBe('picture')
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

  test('leaves its connection to the next, once read to its end', async () => {
    const server = await host(respond('x'.repeat(100_000), { type: 'image/png' }))
    for (let round = 0; round < 3; round += 1) await all(await open(server))
    expect(server.countConnections().accepted).toBe(1)
  })

  test('that is released ends at the host, and is reported as cancelled', async () => {
    const server = await host(sendEndlessBody('x', { 'Content-Type': 'video/mp4' }))
    const { body } = await open(server)
    await body[Symbol.asyncIterator]().next()
    body.destroy()
    await expect.poll(() => server.countConnections().open).toBe(0)
    await expect.poll(() => exchanges.length).toBe(1)
    expect(exchanges[0]?.error?.kind).toBe('cancelled')
  })

  test('that is cancelled by its signal fails as such, before and after its head', async () => {
    const server = await host(stallBody('x'))
    for (const after of [false, true]) {
      const abort = new AbortController()
      const opening = open(server, { signal: abort.signal })
      const reading = after ? opening.then(all) : opening
      setTimeout(() => abort.abort(), after ? 100 : 0)
      expect((await expectAppError(reading)).kind).toBe('cancelled')
    }
    await expect.poll(() => server.countConnections().open).toBe(0)
  })

  test('waits only for what is needed', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 9000\r\n\r\n'
    const server = await host((socket) => void socket.write(head + 'x'.repeat(1_000)))
    const { body } = await open(server, { limits: { idleTimeoutMs: 300 } })
    await new Promise((resolve) => setTimeout(resolve, 600))
    expect(body.destroyed).toBe(false)
    const failure = await expectAppError(all({ body } as BridgeStream))
    expect(failure.wire).toMatchObject({ kind: 'timeout', code: 'TIMEOUT_IDLE' })
  })

  test('that breaks off fails with the number of bytes received', async () => {
    const server = await host(respond('x'.repeat(500), { length: 9_000, type: 'image/png' }))
    const failure = await expectAppError(open(server).then(all))
    expect(failure.wire).toMatchObject({ kind: 'malformed', code: 'TRUNCATED', params: { received: 500 } })
  })

  test('safety 34: compressed without being asked for it is decoded as it is read, and its length is unknown', async () => {
    const server = await host(sendBrotliBomb())
    const { body, length } = await open(server)
    expect(length).toBeNull()
    let size = 0
    for await (const piece of body) {
      size += (piece as Buffer).length
      if (size > 20_000_000) break
    }
    expect(body.destroyed).toBe(true)
    expect(size).toBeLessThan(40_000_000)
  })

  test('a connection that died unnoticed is replaced', async () => {
    const server = await host(respond('one', { type: 'image/png' }))
    await all(await open(server))
    server.setBehaviour(behaveInTurn((socket) => void socket.destroy(), respond('two', { type: 'image/png' })))
    const again = await open(server)
    expect((await all(again)).toString()).toBe('two')
    // The host may have seen each of the three requests: each is an exchange.
    await expect.poll(() => exchanges.length).toBe(3)
    const [, dead, replaced] = exchanges
    expect(dead).toMatchObject({ attempt: 1, status: null, error: { kind: 'offline' } })
    expect(replaced).toMatchObject({ attempt: 2, status: 200, error: null, id: again.meta.exchangeId })
    expect(replaced?.id).not.toBe(dead?.id)
  })

  test('safety 3: a redirect is not followed', async () => {
    const other = await host(respond('stolen'))
    const server = await host(respondRedirect(307, `${other.baseUrl}/x?t=${TOKEN}`))
    const failure = await expectAppError(open(server))
    expect(failure.code).toBe('REDIRECT_REFUSED')
    expectNoSecret(inspectError(failure), TOKEN)
    expect(other.requests).toEqual([])
  })

  test('safety 2: an error that echoes the token does not carry it', async () => {
    const server = await host(respondHostError(404, { code: TOKEN, message: `no ${TOKEN}`, details: [TOKEN] }))
    expectNoSecret(inspectError(await expectAppError(open(server))), TOKEN)
    expectNoSecret(JSON.stringify(exchanges), TOKEN)
  })

  test('safety 7: nothing is sent before the certificate is the pinned one', async () => {
    const [good, other] = await Promise.all([createCertificate(), createCertificate()])
    const server = await host(respond('x', { type: 'image/png' }), { certificate: good })
    expect((await expectAppError(open(server))).code).toBe('TLS_UNTRUSTED')
    const wrong = Array.from({ length: 32 }, () => 'AA').join(':')
    const changed = await expectAppError(open(server, {}, { tlsFingerprint: wrong }))
    expect(changed.code).toBe('TLS_CHANGED')
    expect(server.getReceivedBytes()).toHaveLength(0)
    const tlsFingerprint = String(changed.wire.params?.['fingerprint'])
    expect((await all(await open(server, {}, { tlsFingerprint }))).toString()).toBe('x')
    server.useCertificate(other)
    const fresh = createTestClient().client
    const target = createTarget(server.baseUrl, { tlsFingerprint })
    expect((await expectAppError(fresh.openStream(target, content))).code).toBe('TLS_CHANGED')
    expect(server.requests).toHaveLength(1)
    fresh.close()
  })
})
