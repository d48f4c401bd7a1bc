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
const kept: TokenStatus = { state: 'memory', boundTo: null, backend: null }

const ask = (target: BridgeTarget, status: TokenStatus = kept): Promise<DoctorStep[]> =>
  diagnoseConnection(client, target, status, never)

async function misbehaving(behaviour: does.Behaviour, certificate?: TestCertificate) {
  const host = await startMisbehavingHost(behaviour, certificate ? { certificate } : {})
  onTestFinished(() => host.close())
  return host
}

/** A host that answers by the last part of the path; nothing else exists. */
const routes =
  (answers: Record<string, does.Behaviour>): does.Behaviour =>
  (socket, request) =>
    (answers[request.path.split('/').at(-1) ?? ''] ?? does.respondHostError(404, { code: 'NO_ROUTE', message: '' }))(
      socket,
      request,
    )

/** Expects `code` at `step`, success before it, and nothing tried after it. */
function expectFailure(report: DoctorStep[], step: DoctorStep['step'], code: string): void {
  expect(report.map((one) => one.step)).toEqual([...doctorSteps])
  for (const one of report) expect(doctorStepSchema.safeParse(one).success).toBe(true)
  const at = doctorSteps.indexOf(step)
  expect(report[at]).toMatchObject({ result: 'failed', code })
  expect(report[at]?.message).not.toBe('')
  expect(report[at]?.action).not.toBe('')
  expect(report.slice(0, at).every(({ result }) => result === 'ok' || result === 'warning')).toBe(true)
  expect(report.slice(at + 1).every(({ result, code: why }) => result === 'skipped' && why === 'SKIPPED')).toBe(true)
  expectNoSecret(JSON.stringify(report), TOKEN)
}

describe('the connection diagnosis', () => {
  test('finds nothing wrong with a healthy host', async () => {
    const host = await startDemoHost({ nodes: 10, token: TOKEN })
    onTestFinished(() => host.close())
    const report = await ask(createTarget(host.baseUrl))
    expect(report.map(({ result }) => result)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'ok'])
    expect(report.at(-1)?.params?.['count']).toBeGreaterThan(50)
  })

  test('address', async () => {
    expectFailure(await ask(createTarget('ftp://x')), 'address', 'ADDRESS_BAD')
  })

  test('a plain HTTP address of another machine is a warning', async () => {
    const [address] = await diagnoseConnection(
      client,
      createTarget('http://127.0.0.1.nip.invalid:1/bridge/v1'),
      kept,
      never,
    )
    expect(address).toMatchObject({ result: 'warning', code: 'ADDRESS_PLAIN' })
  })

  test('tcp: nothing listens', async () => {
    const host = await startMisbehavingHost(does.neverRespond())
    await host.close()
    expectFailure(await ask(createTarget(host.baseUrl)), 'tcp', 'TCP_REFUSED')
  })

  test('tcp: an unknown name', async () => {
    expectFailure(await ask(createTarget('https://no-such-host.invalid/bridge/v1')), 'tcp', 'TCP_DNS')
  })

  test('tls: an unaccepted certificate, and one other than the accepted one', async () => {
    const certificate = await createCertificate()
    const host = await misbehaving(routes({ status: does.respondJson({ bridgeApiVersion: '1' }) }), certificate)
    expectFailure(await ask(createTarget(host.baseUrl)), 'tls', 'TLS_BAD')
    expectFailure(await ask(createTarget(host.baseUrl, { tlsFingerprint: 'AA:BB' })), 'tls', 'TLS_BAD')
    expect(host.getReceivedBytes()).toHaveLength(0)
  })

  test('tls: a host that does not speak it', async () => {
    const host = await startDemoHost({ nodes: 10 })
    onTestFinished(() => host.close())
    expectFailure(await ask(createTarget(host.baseUrl.replace('http:', 'https:'))), 'tls', 'TLS_FAILED')
  })

  test.each([
    ['another path', does.respondHostError(404, { code: 'NO_ROUTE', message: '' }), 'PATH_BAD'],
    ['a web page', does.respond('<html>', { type: 'text/html' }), 'PATH_BAD'],
    ['any JSON', does.respondJson({ ok: true }), 'PATH_BAD'],
    ['not HTTP', does.respondRaw('SSH-2.0-OpenSSH\r\n'), 'PATH_BAD'],
    ['a redirect', does.respondRedirect(302, 'http://127.0.0.1:1/login'), 'PATH_REDIRECT'],
  ])('path: %s', async (_, behaviour, code) => {
    const host = await misbehaving(behaviour)
    expectFailure(await ask(createTarget(host.baseUrl)), 'path', code)
    expectNoSecret(host.getReceivedBytes().toString('latin1'), TOKEN)
  })

  test('path: silence', async () => {
    const host = await misbehaving(does.neverRespond())
    const { client: hasty } = createTestClient({ idleTimeoutMs: 200 })
    expectFailure(await diagnoseConnection(hasty, createTarget(host.baseUrl), kept, never), 'path', 'PATH_SILENT')
  })

  test.each([
    ['none', createTarget('', { token: null }), { ...kept, state: 'none' as const }, 'TOKEN_NONE'],
    ['locked', createTarget('', { token: null }), { ...kept, state: 'locked' as const }, 'TOKEN_LOCKED'],
    ['refused', createTarget('', { token: `${TOKEN}x` }), kept, 'TOKEN_REFUSED'],
    ['not to be sent', createTarget('', { auth: { header: 'Origin', scheme: '' } }), kept, 'TOKEN_FAILED'],
  ])('token: %s', async (_, target, status, code) => {
    const host = await startDemoHost({ nodes: 10, token: TOKEN })
    onTestFinished(() => host.close())
    expectFailure(await ask({ ...target, baseUrl: host.baseUrl }, status), 'token', code)
  })

  test('token: rejected by a host whose status does not report it', async () => {
    const refusal = does.respondHostError(401, { code: 'UNAUTHORIZED', message: 'no' })
    const host = await misbehaving(
      routes({ status: does.respondJson({ bridgeApiVersion: '1' }), capabilities: refusal }),
    )
    expectFailure(await ask(createTarget(host.baseUrl)), 'token', 'TOKEN_REFUSED')
  })

  test('token: rejected by a host without a status', async () => {
    const host = await misbehaving(
      routes({ capabilities: does.respondHostError(401, { code: 'UNAUTHORIZED', message: 'no' }) }),
    )
    expectFailure(await ask(createTarget(host.baseUrl)), 'token', 'TOKEN_REFUSED')
  })

  test.each([
    ['without routes', does.respondJson({ bridgeApiVersion: '1' })],
    ['with an error', does.respondHostError(500, { code: 'BROKEN', message: 'x' })],
  ])('capabilities: %s', async (_, capabilities) => {
    const status = does.respondJson({ bridgeApiVersion: '1', authorized: true })
    const host = await misbehaving(routes({ status, capabilities }))
    expectFailure(await ask(createTarget(host.baseUrl)), 'capabilities', 'CAPABILITIES_BAD')
  })

  test('sends the token only after every earlier step succeeds', async () => {
    const host = await misbehaving(routes({ status: does.respondJson({ bridgeApiVersion: '1', authorized: true }) }))
    await ask(createTarget(host.baseUrl))
    const carries = host.requests.map(({ headers }) => headers.some(([name]) => name.toLowerCase() === 'authorization'))
    expect(carries).toEqual([false, true, true])
  })

  test('ends with the call', async () => {
    const host = await misbehaving(does.neverRespond())
    const abort = new AbortController()
    const examination = diagnoseConnection(client, createTarget(host.baseUrl), kept, abort.signal)
    await expect.poll(() => host.requests.length).toBe(1)
    abort.abort()
    expect((await expectAppError(examination)).kind).toBe('cancelled')
    await expect.poll(() => host.countConnections().open).toBe(0)
  })
})
