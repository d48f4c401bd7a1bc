import { format, inspect } from 'node:util'
import { expect, test } from 'vitest'
import { Secret } from '../../../electron/services/secret.ts'
import { expectNoSecret } from '../../support/data/secrets.ts'

const TOKEN = 'mnb0.Zx7+Qe/9vKc2~hW4_tB8-rY1.pL6sD3fG5'

test('safety 2: a secret is never printed by accident', () => {
  const secret = new Secret(TOKEN)
  const holder = { secret, list: [secret], map: new Map([['a', secret]]) }
  const outputs = [
    JSON.stringify(holder),
    inspect(holder, { depth: 9, showHidden: true, getters: true }),
    inspect(secret, { customInspect: false, showHidden: true, depth: 9 }),

    `${secret}`,
    format('%s %o %j %O', secret, secret, secret, secret),
    String(secret),
    Object.getOwnPropertyNames(secret).join(),
    JSON.stringify({ ...secret }),
    new Error('failed', { cause: secret }).stack ?? '',
    inspect(new Error('failed', { cause: secret })),
  ]
  for (const text of outputs) expectNoSecret(text, TOKEN)
  expect(secret.reveal()).toBe(TOKEN)
})

test('safety 2: a secret does not cross to another thread or process', () => {
  expectNoSecret(inspect(structuredClone(new Secret(TOKEN))), TOKEN)
})
