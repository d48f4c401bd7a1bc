import { expect, test } from 'vitest'
import { resolveDraftTarget } from '../../../../electron/services/discovery/draft-target.ts'
import { Secret } from '../../../../electron/services/secret.ts'
import type { ProfileDraft } from '../../../../shared/ipc/profiles.ts'
import { createTarget, TOKEN } from '../../../support/services/test-client.ts'

const kept = { state: 'stored', boundTo: 'http://127.0.0.1:1', backend: null } as const
const services = {
  connection: {
    getProfileTarget: () => ({ ...createTarget('http://127.0.0.1:1/bridge/v1'), token: TOKEN, tlsFingerprint: 'AA' }),
  },
  vault: { registerTemporary: (token: string) => new Secret(token), status: () => kept },
}
const draft = (baseUrl: string): ProfileDraft => ({
  id: 'p',
  name: '',
  baseUrl,
  auth: { header: 'Authorization', scheme: 'Bearer' },
  readOnly: true,
})

test('safety 4: a test uses the kept token and certificate only at the address they are bound to', () => {
  expect(resolveDraftTarget(services, draft('127.0.0.1:1'), null)).toMatchObject({
    target: { token: TOKEN, tlsFingerprint: 'AA', isReadOnly: true },
    tokenStatus: kept,
  })
  for (const elsewhere of ['127.0.0.1:2', 'https://127.0.0.1:1', 'localhost:1']) {
    expect(resolveDraftTarget(services, draft(elsewhere), null)).toMatchObject({
      target: { token: null, tlsFingerprint: null },
      tokenStatus: { state: 'none' },
    })
  }
  expect(resolveDraftTarget(services, draft('127.0.0.1:2'), 'typed').target.token).toBe('typed')
})
