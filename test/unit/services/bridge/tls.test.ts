import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { CertificateError } from '../../../../electron/services/bridge/wire/certificate.ts'
import type { BridgeClient } from '../../../../electron/services/bridge/types.ts'
import { getEndpoint } from '../../../../shared/bridge/endpoints/index.ts'
import { respondJson } from '../../../support/hosts/behaviours.ts'
import {
  getSmallRead,
  expectAppError,
  createTarget,
  createTestClient,
  TOKEN,
} from '../../../support/services/test-client.ts'
import { createCertificate, type TestCertificate } from '../../../support/hosts/certificates.ts'
import { startMisbehavingHost, type MisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'

let good: TestCertificate
let other: TestCertificate
let expired: TestCertificate
let host: MisbehavingHost
let client: BridgeClient

beforeAll(async () => {
  ;[good, other, expired] = await Promise.all([
    createCertificate(),
    createCertificate(),
    createCertificate({ expired: true }),
  ])
})
afterAll(() => host.close())
afterEach(() => client.close())

async function start(certificate: TestCertificate): Promise<void> {
  await host?.close()
  host = await startMisbehavingHost(respondJson({ routes: [] }), { certificate })
  client = createTestClient().client
}

async function requestCertificateError(tlsFingerprint: string | null): Promise<CertificateError> {
  const failure = await expectAppError(
    client.request(createTarget(host.baseUrl, { tlsFingerprint }), { endpoint: getSmallRead() }),
  )
  if (!(failure instanceof CertificateError)) throw failure
  return failure
}

describe('certificate', () => {
  test('safety 7: is described if it is self-signed, and nothing is sent before it is accepted', async () => {
    await start(good)
    const failure = await requestCertificateError(null)
    expect(failure.wire).toMatchObject({ kind: 'offline', code: 'TLS_UNTRUSTED', retryable: false })
    expect(failure.certificate).toMatchObject({ subject: 'Test host', issuer: 'Test host' })
    expect(failure.certificate.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
    expect(failure.certificate.reason).toMatch(/SELF_SIGNED/)
    expect(Date.parse(failure.certificate.validTo)).toBeGreaterThan(Date.now())
    expect(host.getReceivedBytes()).toHaveLength(0)
  })

  test('safety 7: is accepted with the pinned fingerprint, and kept sockets are reused', async () => {
    await start(good)
    const { fingerprint } = (await requestCertificateError(null)).certificate
    const target = createTarget(host.baseUrl, { tlsFingerprint: fingerprint })
    await client.request(target, { endpoint: getSmallRead() })
    await client.request(target, { endpoint: getSmallRead() })
    expect(host.requests).toHaveLength(2)
    expect(host.requests[0]?.head).toContain(TOKEN)
    expect(host.countConnections().accepted).toBe(2)
  })

  test('safety 7: is checked again on a kept socket, so that a withdrawn pin counts at once', async () => {
    await start(good)
    const { fingerprint } = (await requestCertificateError(null)).certificate
    await client.request(createTarget(host.baseUrl, { tlsFingerprint: fingerprint }), { endpoint: getSmallRead() })
    const receivedBytes = host.getReceivedBytes().length
    expect((await requestCertificateError(null)).code).toBe('TLS_UNTRUSTED')
    expect(host.getReceivedBytes()).toHaveLength(receivedBytes)
  })

  test('safety 7: is refused before any byte of the request if it has changed', async () => {
    await start(good)
    const { fingerprint } = (await requestCertificateError(null)).certificate
    host.useCertificate(other)
    const failure = await requestCertificateError(fingerprint)
    expect(failure.code).toBe('TLS_CHANGED')
    expect(failure.certificate.fingerprint).not.toBe(fingerprint)
    expect(host.getReceivedBytes()).toHaveLength(0)
  })

  test('safety 7: is shown in full by every connection, without resumed sessions', async () => {
    await start(good)
    const { fingerprint } = (await requestCertificateError(null)).certificate
    const target = createTarget(host.baseUrl, { tlsFingerprint: fingerprint, isReadOnly: false })
    const write = { endpoint: getEndpoint('notes.move'), body: { confirm: true } }
    for (let count = 0; count < 3; count += 1) await client.request(target, write)
    expect(host.countConnections()).toMatchObject({ accepted: 4, resumed: 0 })
  })

  test('safety 7: is refused if it has expired, pinned or not', async () => {
    await start(expired)
    const failure = await requestCertificateError(null)
    expect(failure.code).toBe('TLS_EXPIRED')
    expect((await requestCertificateError(failure.certificate.fingerprint)).code).toBe('TLS_EXPIRED')
    expect(host.getReceivedBytes()).toHaveLength(0)
  })

  test.each(['', 'AB:CD', 'null'])('safety 7: does not match the pin "%s"', async (pin) => {
    await start(good)
    expect((await requestCertificateError(pin)).code).toBe('TLS_CHANGED')
    expect(host.getReceivedBytes()).toHaveLength(0)
  })

  test('is missing at a port that speaks plain http, which is explained', async () => {
    const authorizations: string[] = []
    const plain = http.createServer((request, response) =>
      response.end(authorizations.push(request.headers.authorization ?? '')),
    )
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
    const { port } = plain.address() as AddressInfo
    client = createTestClient().client
    const target = createTarget(`https://127.0.0.1:${port}/bridge/v1`)
    const failure = await expectAppError(client.request(target, { endpoint: getSmallRead(), attempts: 1 }))
    plain.close()
    expect(failure.wire).toMatchObject({ kind: 'offline', code: 'TLS_NOT_SPOKEN' })
    expect(authorizations).toEqual([])
  })

  test('is unexpected for http, which is reported as offline', async () => {
    await start(good)
    const target = createTarget(host.baseUrl.replace('https:', 'http:'))
    const failure = await expectAppError(client.request(target, { endpoint: getSmallRead(), attempts: 1 }))
    expect(failure.wire).toMatchObject({ kind: 'offline' })
  })
})
