import { describe, expect, onTestFinished, test } from 'vitest'
import { startDemoHost } from '../../../../electron/demo-host/server.ts'
import { diagnoseConnection } from '../../../../electron/services/discovery/doctor.ts'
import type { BridgeTarget } from '../../../../electron/services/bridge/types.ts'
import { doctorStepSchema, doctorSteps, type DoctorStep } from '../../../../shared/ipc/connection.ts'
import type { TokenStatus } from '../../../../shared/ipc/profiles.ts'
import * as does from '../../../support/hosts/behaviours.ts'
import { failureOf, targetOf, testClient, TOKEN } from '../../../support/services/bridge.ts'
import { makeCertificate, type TestCertificate } from '../../../support/hosts/certificates.ts'
import { startMisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'
import { expectNoSecret } from '../../../support/data/secrets.ts'

const { client } = testClient()
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
    (answers[request.path.split('/').at(-1) ?? ''] ?? does.hostError(404, { code: 'NO_ROUTE', message: '' }))(
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
    const report = await ask(targetOf(host.baseUrl))
    expect(report.map(({ result }) => result)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'ok'])
    expect(report.at(-1)?.params?.['count']).toBeGreaterThan(50)
  })

  test('address', async () => {
    expectFailure(await ask(targetOf('ftp://x')), 'address', 'ADDRESS_BAD')
  })

  test('a plain HTTP address of another machine is a warning', async () => {
    const [address] = await diagnoseConnection(
      client,
      targetOf('http://127.0.0.1.nip.invalid:1/bridge/v1'),
      kept,
      never,
    )
    expect(address).toMatchObject({ result: 'warning', code: 'ADDRESS_PLAIN' })
  })

  test('tcp: nothing listens', async () => {
    const host = await startMisbehavingHost(does.silence())
    await host.close()
    expectFailure(await ask(targetOf(host.baseUrl)), 'tcp', 'TCP_REFUSED')
  })

  test('tcp: an unknown name', async () => {
    expectFailure(await ask(targetOf('https://no-such-host.invalid/bridge/v1')), 'tcp', 'TCP_DNS')
  })

  test('tls: an unaccepted certificate, and one other than the accepted one', async () => {
    const certificate = await makeCertificate()
    const host = await misbehaving(routes({ status: does.json({ bridgeApiVersion: '1' }) }), certificate)
    expectFailure(await ask(targetOf(host.baseUrl)), 'tls', 'TLS_BAD')
    expectFailure(await ask(targetOf(host.baseUrl, { tlsFingerprint: 'AA:BB' })), 'tls', 'TLS_BAD')
    expect(host.received()).toHaveLength(0)
  })

  test('tls: a host that does not speak it', async () => {
    const host = await startDemoHost({ nodes: 10 })
    onTestFinished(() => host.close())
    expectFailure(await ask(targetOf(host.baseUrl.replace('http:', 'https:'))), 'tls', 'TLS_FAILED')
  })

  test.each([
    ['another path', does.hostError(404, { code: 'NO_ROUTE', message: '' }), 'PATH_BAD'],
    ['a web page', does.answer('<html>', { type: 'text/html' }), 'PATH_BAD'],
    ['any JSON', does.json({ ok: true }), 'PATH_BAD'],
    ['not HTTP', does.raw('SSH-2.0-OpenSSH\r\n'), 'PATH_BAD'],
    ['a redirect', does.redirect(302, 'http://127.0.0.1:1/login'), 'PATH_REDIRECT'],
  ])('path: %s', async (_, behaviour, code) => {
    const host = await misbehaving(behaviour)
    expectFailure(await ask(targetOf(host.baseUrl)), 'path', code)
    expectNoSecret(host.received().toString('latin1'), TOKEN)
  })

  test('path: silence', async () => {
    const host = await misbehaving(does.silence())
    const { client: hasty } = testClient({ idleTimeoutMs: 200 })
    expectFailure(await diagnoseConnection(hasty, targetOf(host.baseUrl), kept, never), 'path', 'PATH_SILENT')
  })

  test.each([
    ['none', targetOf('', { token: null }), { ...kept, state: 'none' as const }, 'TOKEN_NONE'],
    ['locked', targetOf('', { token: null }), { ...kept, state: 'locked' as const }, 'TOKEN_LOCKED'],
    ['refused', targetOf('', { token: `${TOKEN}x` }), kept, 'TOKEN_REFUSED'],
    ['not to be sent', targetOf('', { auth: { header: 'Origin', scheme: '' } }), kept, 'TOKEN_FAILED'],
  ])('token: %s', async (_, target, status, code) => {
    const host = await startDemoHost({ nodes: 10, token: TOKEN })
    onTestFinished(() => host.close())
    expectFailure(await ask({ ...target, baseUrl: host.baseUrl }, status), 'token', code)
  })

  test('token: rejected by a host whose status does not report it', async () => {
    const refusal = does.hostError(401, { code: 'UNAUTHORIZED', message: 'no' })
    const host = await misbehaving(routes({ status: does.json({ bridgeApiVersion: '1' }), capabilities: refusal }))
    expectFailure(await ask(targetOf(host.baseUrl)), 'token', 'TOKEN_REFUSED')
  })

  test('token: rejected by a host without a status', async () => {
    const host = await misbehaving(
      routes({ capabilities: does.hostError(401, { code: 'UNAUTHORIZED', message: 'no' }) }),
    )
    expectFailure(await ask(targetOf(host.baseUrl)), 'token', 'TOKEN_REFUSED')
  })

  test.each([
    ['without routes', does.json({ bridgeApiVersion: '1' })],
    ['with an error', does.hostError(500, { code: 'BROKEN', message: 'x' })],
  ])('capabilities: %s', async (_, capabilities) => {
    const status = does.json({ bridgeApiVersion: '1', authorized: true })
    const host = await misbehaving(routes({ status, capabilities }))
    expectFailure(await ask(targetOf(host.baseUrl)), 'capabilities', 'CAPABILITIES_BAD')
  })

  test('sends the token only after every earlier step succeeds', async () => {
    const host = await misbehaving(routes({ status: does.json({ bridgeApiVersion: '1', authorized: true }) }))
    await ask(targetOf(host.baseUrl))
    const carries = host.requests.map(({ headers }) => headers.some(([name]) => name.toLowerCase() === 'authorization'))
    expect(carries).toEqual([false, true, true])
  })

  test('ends with the call', async () => {
    const host = await misbehaving(does.silence())
    const abort = new AbortController()
    const examination = diagnoseConnection(client, targetOf(host.baseUrl), kept, abort.signal)
    await expect.poll(() => host.requests.length).toBe(1)
    abort.abort()
    expect((await failureOf(examination)).kind).toBe('cancelled')
    await expect.poll(() => host.connections().open).toBe(0)
  })
})
