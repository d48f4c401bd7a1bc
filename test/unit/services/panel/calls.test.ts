import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import type { OverrideRule } from '../../../../shared/panel/overrides.ts'
import { TOKEN } from '../../../support/bridge.ts'
import { json, loggingHost, openPanel, panelFolder, type OpenPanel } from '../../../support/panel.ts'

const NOTE = '/bridge/v1/notes/N-1'
const masked = { where: 'answer', member: '', from: null, to: null, why: 'token-masked' }

/** The rows of the panel's calls, newest first. */
async function rowsOf({ app }: OpenPanel) {
  const filter = { origins: ['panel' as const] }
  const { bytes } = await app.call('traffic.find', { filter, sort: { by: 'time', descending: true } })
  return (await app.call('traffic.rows', { seqs: [...new Uint32Array(bytes)] })).rows
}

/** The call of the newest exchange, once the page has its answer. */
async function ended(panel: OpenPanel) {
  return expect
    .poll(async () => {
      const [row] = await rowsOf(panel)
      return row && (await panel.app.call('panel.call', { exchangeId: row.id })).call
    })
    .toMatchObject({ answer: {} })
    .then(async () => {
      const [row] = await rowsOf(panel)
      return (await panel.app.call('panel.call', { exchangeId: row?.id ?? '' })).call
    })
}

async function opened(answer: (response: ServerResponse) => void, rules: readonly OverrideRule[] = []) {
  const host = await loggingHost(['GET /notes/{id}', 'POST /notes/{noteid}/practice-verdict'])
  const panel = await openPanel(panelFolder(), host.baseUrl, false)
  await panel.app.call('panel.saveOverrides', { rules: [...rules] })
  await expect.poll(async () => (await panel.app.call('panel.get', {})).plugin.id).toBe('plugin.one')
  host.answer = (_, response) => answer(response)
  return panel
}

test.each([
  [
    'in a body that arrives in pieces, cut anywhere',
    (response: ServerResponse) => {
      response.writeHead(200, { 'Content-Type': 'application/json' })
      response.write(`{"echo":"${TOKEN.slice(0, 9)}`)
      setImmediate(() => response.end(`${TOKEN.slice(9)}"}`))
    },
  ],
  ['in a header', (response: ServerResponse) => void response.writeHead(200, { 'X-Echo': TOKEN }).end('{}')],
])('a token %s is masked, and the call says so', async (_, answer) => {
  const panel = await opened(answer)
  const page = await panel.page('GET', NOTE)
  expect(page.status).toBe(200)
  expect(JSON.stringify(page)).not.toContain(TOKEN)
  expect((await ended(panel))?.changes).toEqual([masked])
})

test('an answer without a body is no broken one', async () => {
  const panel = await opened((response) => void response.writeHead(204).end())
  expect((await panel.page('GET', NOTE)).status).toBe(204)
  expect(await ended(panel)).toMatchObject({
    reason: { code: 'listed', params: {} },
    answer: { status: 204, bytes: 0, broken: false },
  })
})

test('a rule that changes the answer to a write is named in traffic', async () => {
  const rule: OverrideRule = {
    id: 'one',
    name: 'Another verdict',
    on: true,
    match: { method: 'POST', path: '/notes/{noteid}/practice-verdict' },
    answer: { kind: 'change', changes: [{ do: 'set', at: '/persisted', value: false }] },
    delayMs: 0,
  }
  const panel = await opened((response) => json(response, 200, { persisted: true }), [rule])
  await panel.app.call('panel.configure', { writes: 'let-through' })
  const body = JSON.stringify({ self: 'again' })
  const answer = await panel.page('POST', `${NOTE}/practice-verdict`, ['Content-Type: application/json'], body)
  expect(JSON.parse(answer.body)).toEqual({ persisted: false })
  expect(await ended(panel)).toMatchObject({ decision: 'override' })
  expect((await rowsOf(panel))[0]).toMatchObject({ method: 'POST', rule: 'Another verdict' })
})
