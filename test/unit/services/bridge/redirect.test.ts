import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getEndpoint } from '../../../../shared/bridge/endpoints/index.ts'
import { respondJson, respondRedirect } from '../../../support/hosts/behaviours.ts'
import { getSmallRead, expectAppError, createTarget, createTestClient } from '../../../support/services/test-client.ts'
import { startMisbehavingHost, type MisbehavingHost } from '../../../support/hosts/misbehaving-host.ts'

const { client } = createTestClient()
let first: MisbehavingHost
let second: MisbehavingHost

beforeAll(async () => {
  second = await startMisbehavingHost(respondJson({ routes: [] }))
  first = await startMisbehavingHost(respondJson({}))
})
afterAll(() => Promise.all([first.close(), second.close()]))

describe('redirect', () => {
  test.each([301, 302, 303, 307, 308])(
    'safety 3: with status %i to another port is reported and never followed',
    async (status) => {
      first.setBehaviour(respondRedirect(status, `http://127.0.0.1:${second.port}/bridge/v1/capabilities?secret=1`))
      const before = first.requests.length
      const failure = await expectAppError(client.request(createTarget(first.baseUrl), { endpoint: getSmallRead() }))
      expect(failure.wire).toMatchObject({
        kind: 'http',
        code: 'REDIRECT_REFUSED',
        status,
        retryable: false,
        params: { host: `127.0.0.1:${second.port}` },
      })
      expect(failure.message).not.toContain('secret')
      expect(first.requests.length - before).toBe(1)
      expect(second.countConnections().accepted).toBe(0)
    },
  )

  test('safety 3: of a write sends it once, and its body nowhere else', async () => {
    first.setBehaviour(respondRedirect(307, `http://localhost:${second.port}/bridge/v1/notes/move`))
    const before = first.requests.length
    const target = createTarget(first.baseUrl, { isReadOnly: false })
    const failure = await expectAppError(
      client.request(target, { endpoint: getEndpoint('notes.move'), body: { confirm: true } }),
    )
    expect(failure.code).toBe('REDIRECT_REFUSED')
    expect(first.requests.length - before).toBe(1)
    expect(second.countConnections().accepted).toBe(0)
  })

  test.each([
    ['to its own path', '/bridge/v1/other', /^127\.0\.0\.1:\d+$/],
    ['without a host', 'javascript:alert(1)', /^an address without a host$/],
    ['that cannot be read', 'http://[', /^an address that cannot be read$/],
  ])('safety 3: is refused %s', async (_, location, host) => {
    first.setBehaviour(respondRedirect(302, location))
    const failure = await expectAppError(client.request(createTarget(first.baseUrl), { endpoint: getSmallRead() }))
    expect(failure.code).toBe('REDIRECT_REFUSED')
    expect(failure.wire.params?.host).toMatch(host)
  })
})
