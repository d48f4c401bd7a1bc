import { expect, test } from 'vitest'
import { resolveDraftTarget } from '../../../../electron/services/discovery/draft-target.ts'
import { Secret } from '../../../../electron/services/secret.ts'
import type { ProfileDraft } from '../../../../shared/ipc/profiles.ts'
import { createTarget, TOKEN } from '../../../support/services/test-client.ts'

const storedToken = { state: 'stored', boundTo: 'http://127.0.0.1:1', backend: null } as const
const services = {
  connection: {
    getProfileTarget: () => ({ ...createTarget('http://127.0.0.1:1/bridge/v1'), token: TOKEN, tlsFingerprint: 'AA' }),
  },
  vault: { registerTemporary: (token: string) => new Secret(token), status: () => storedToken },
}
const createDraft = (baseUrl: string): ProfileDraft => ({
  id: 'p',
  name: '',
  baseUrl,
  auth: { header: 'Authorization', scheme: 'Bearer' },
  readOnly: true,
})

test('safety 4: a connection test uses the stored token and certificate only at the address they are bound to', () => {
  expect(resolveDraftTarget(services, createDraft('127.0.0.1:1'), null)).toMatchObject({
    target: { token: TOKEN, tlsFingerprint: 'AA', isReadOnly: true },
    tokenStatus: storedToken,
  })
  for (const otherAddress of ['127.0.0.1:2', 'https://127.0.0.1:1', 'localhost:1']) {
    expect(resolveDraftTarget(services, createDraft(otherAddress), null)).toMatchObject({
      target: { token: null, tlsFingerprint: null },
      tokenStatus: { state: 'none' },
    })
  }
  expect(resolveDraftTarget(services, createDraft('127.0.0.1:2'), 'typed').target.token).toBe('typed')
})
