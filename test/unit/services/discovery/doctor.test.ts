/** @module-tag slow */

import { describe, expect, onTestFinished, test } from 'vitest'
import { startDemoHost } from '../../../../electron/demo-host/server.ts'
import { diagnoseConnection } from '../../../../electron/services/discovery/doctor.ts'
import type { BridgeTarget } from '../../../../electron/services/bridge/types.ts'
import { doctorStepSchema, doctorSteps, type DoctorStep } from '../../../../shared/ipc/connection.ts'
import type { TokenStatus } from '../../../../shared/ipc/profiles.ts'
import * as does from '../../../support/hosts/behaviours.ts'
import { expectAppError, createTarget, createTestClient, TOKEN } from '../../../support/services/test-client.ts'
import { createCertificate, type TestCertificate } from '../../../support/hosts/certificates.ts'
import { startMisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'
import { expectNoSecret } from '../../../support/data/secrets.ts'

const { client } = createTestClient()
const never = new AbortController().signal
const tokenInMemory: TokenStatus = { state: 'memory', boundTo: null, backend: null }

const diagnose = (target: BridgeTarget, status: TokenStatus = tokenInMemory): Promise<DoctorStep[]> =>
  diagnoseConnection(client, target, status, never)

async function startMisbehaving(behaviour: does.Behaviour, certificate?: TestCertificate) {
  const host = await startMisbehavingHost(behaviour, certificate ? { certificate } : {})
  onTestFinished(() => host.close())
  return host
}

/** Creates a host that responds by the last part of the path, and with 404 to everything else. */
const respondByPath =
  (responses: Record<string, does.Behaviour>): does.Behaviour =>
  (socket, request) =>
    (responses[request.path.split('/').at(-1) ?? ''] ?? does.respondHostError(404, { code: 'NO_ROUTE', message: '' }))(
      socket,
      request,
    )

/** Expects `code` at `step`, success before it, and skipped steps after it. */
function expectFailure(report: DoctorStep[], step: DoctorStep['step'], code: string): void {
  expect(report.map((entry) => entry.step)).toEqual([...doctorSteps])
  for (const entry of report) expect(doctorStepSchema.safeParse(entry).success).toBe(true)
  const index = doctorSteps.indexOf(step)
  expect(report[index]).toMatchObject({ result: 'failed', code })
  expect(report[index]?.message).not.toBe('')
  expect(report[index]?.action).not.toBe('')
  expect(report.slice(0, index).every(({ result }) => result === 'ok' || result === 'warning')).toBe(true)
  expect(
    report.slice(index + 1).every(({ result, code: skippedCode }) => result === 'skipped' && skippedCode === 'SKIPPED'),
  ).toBe(true)
  expectNoSecret(JSON.stringify(report), TOKEN)
}

describe('connection diagnosis', () => {
  test('finds nothing wrong with a healthy host', async () => {
    const host = await startDemoHost({ nodes: 10, token: TOKEN })
    onTestFinished(() => host.close())
    const report = await diagnose(createTarget(host.baseUrl))
    expect(report.map(({ result }) => result)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'ok'])
    expect(report.at(-1)?.params?.['count']).toBeGreaterThan(50)
  })

  test('reports an invalid address', async () => {
    expectFailure(await diagnose(createTarget('ftp://x')), 'address', 'ADDRESS_BAD')
  })

  test('warns about a plain HTTP address of another machine', async () => {
    const [address] = await diagnoseConnection(
      client,
      createTarget('http://127.0.0.1.nip.invalid:1/bridge/v1'),
      tokenInMemory,
      never,
    )
    expect(address).toMatchObject({ result: 'warning', code: 'ADDRESS_PLAIN' })
  })

  test('tcp: reports that no program listens', async () => {
    const host = await startMisbehavingHost(does.neverRespond())
    await host.close()
    expectFailure(await diagnose(createTarget(host.baseUrl)), 'tcp', 'TCP_REFUSED')
  })

  test('tcp: reports an unknown name', async () => {
    expectFailure(await diagnose(createTarget('https://no-such-host.invalid/bridge/v1')), 'tcp', 'TCP_DNS')
  })

  test('tls: reports an unaccepted or changed certificate', async () => {
    const certificate = await createCertificate()
    const host = await startMisbehaving(
      respondByPath({ status: does.respondJson({ bridgeApiVersion: '1' }) }),
      certificate,
    )
    expectFailure(await diagnose(createTarget(host.baseUrl)), 'tls', 'TLS_BAD')
    expectFailure(await diagnose(createTarget(host.baseUrl, { tlsFingerprint: 'AA:BB' })), 'tls', 'TLS_BAD')
    expect(host.getReceivedBytes()).toHaveLength(0)
  })

  test('tls: reports a host that does not speak TLS', async () => {
    const host = await startDemoHost({ nodes: 10 })
    onTestFinished(() => host.close())
    expectFailure(await diagnose(createTarget(host.baseUrl.replace('http:', 'https:'))), 'tls', 'TLS_FAILED')
  })

  test.each([
    ['another path', does.respondHostError(404, { code: 'NO_ROUTE', message: '' }), 'PATH_BAD'],
    ['a web page', does.respond('<html>', { type: 'text/html' }), 'PATH_BAD'],
    ['any JSON', does.respondJson({ ok: true }), 'PATH_BAD'],
    ['not HTTP', does.respondRaw('SSH-2.0-OpenSSH\r\n'), 'PATH_BAD'],
    ['a redirect', does.respondRedirect(302, 'http://127.0.0.1:1/login'), 'PATH_REDIRECT'],
  ])('path: reports %s', async (_, behaviour, code) => {
    const host = await startMisbehaving(behaviour)
    expectFailure(await diagnose(createTarget(host.baseUrl)), 'path', code)
    expectNoSecret(host.getReceivedBytes().toString('latin1'), TOKEN)
  })

  test('path: reports silence', async () => {
    const host = await startMisbehaving(does.neverRespond())
    const { client: hastyClient } = createTestClient({ idleTimeoutMs: 200 })
    expectFailure(
      await diagnoseConnection(hastyClient, createTarget(host.baseUrl), tokenInMemory, never),
      'path',
      'PATH_SILENT',
    )
  })

  test.each([
    ['absent', createTarget('', { token: null }), { ...tokenInMemory, state: 'none' as const }, 'TOKEN_NONE'],
    ['locked', createTarget('', { token: null }), { ...tokenInMemory, state: 'locked' as const }, 'TOKEN_LOCKED'],
    ['refused', createTarget('', { token: `${TOKEN}x` }), tokenInMemory, 'TOKEN_REFUSED'],
    ['not to be sent', createTarget('', { auth: { header: 'Origin', scheme: '' } }), tokenInMemory, 'TOKEN_FAILED'],
  ])('token: reports that it is %s', async (_, target, status, code) => {
    const host = await startDemoHost({ nodes: 10, token: TOKEN })
    onTestFinished(() => host.close())
    expectFailure(await diagnose({ ...target, baseUrl: host.baseUrl }, status), 'token', code)
  })

  test('token: reports a refusal by a host whose status does not mention it', async () => {
    const refusal = does.respondHostError(401, { code: 'UNAUTHORIZED', message: 'no' })
    const host = await startMisbehaving(
      respondByPath({ status: does.respondJson({ bridgeApiVersion: '1' }), capabilities: refusal }),
    )
    expectFailure(await diagnose(createTarget(host.baseUrl)), 'token', 'TOKEN_REFUSED')
  })

  test('token: reports a refusal by a host without a status', async () => {
    const host = await startMisbehaving(
      respondByPath({ capabilities: does.respondHostError(401, { code: 'UNAUTHORIZED', message: 'no' }) }),
    )
    expectFailure(await diagnose(createTarget(host.baseUrl)), 'token', 'TOKEN_REFUSED')
  })

  test('capabilities: passes a host whose routes are not found, and says so', async () => {
    const status = does.respondJson({ bridgeApiVersion: '1', authorized: true })
    const host = await startMisbehaving(respondByPath({ status, capabilities: does.respondJson({ limits: {} }) }))
    expect((await diagnose(createTarget(host.baseUrl))).at(-1)).toMatchObject({
      step: 'capabilities',
      result: 'ok',
      code: 'CAPABILITIES_UNKNOWN',
    })
  })

  test.each([
    ['without members', does.respondJson('none')],
    ['with an error', does.respondHostError(500, { code: 'BROKEN', message: 'x' })],
  ])('capabilities: reports a response %s', async (_, capabilities) => {
    const status = does.respondJson({ bridgeApiVersion: '1', authorized: true })
    const host = await startMisbehaving(respondByPath({ status, capabilities }))
    expectFailure(await diagnose(createTarget(host.baseUrl)), 'capabilities', 'CAPABILITIES_BAD')
  })

  test('sends the token only after every earlier step succeeds', async () => {
    const host = await startMisbehaving(
      respondByPath({ status: does.respondJson({ bridgeApiVersion: '1', authorized: true }) }),
    )
    await diagnose(createTarget(host.baseUrl))
    const hasToken = host.requests.map(({ headers }) =>
      headers.some(([name]) => name.toLowerCase() === 'authorization'),
    )
    expect(hasToken).toEqual([false, true, true])
  })

  test('ends with the call', async () => {
    const host = await startMisbehaving(does.neverRespond())
    const abort = new AbortController()
    const examination = diagnoseConnection(client, createTarget(host.baseUrl), tokenInMemory, abort.signal)
    await expect.poll(() => host.requests.length).toBe(1)
    abort.abort()
    expect((await expectAppError(examination)).kind).toBe('cancelled')
    await expect.poll(() => host.countConnections().open).toBe(0)
  })
})
