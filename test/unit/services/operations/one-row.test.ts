import { expect, test, vi } from 'vitest'
import type { AlterResponse } from '../../../support/hosts/altering-host.ts'
import type { CommandDraft } from '../../../../shared/operations/prepared-write.ts'

vi.mock('../../../../shared/bridge/endpoints/decks.ts', async (original) => {
  const { deckEndpoints } = await original<{ deckEndpoints: readonly unknown[] }>()
  const { extraWriteRows } = await import('../../../support/services/extra-write-rows.ts')
  return { deckEndpoints: [...deckEndpoints, ...extraWriteRows] }
})
const { compareCapabilities, findRowRoute: routeOf } = await import('../../../../shared/bridge/capabilities.ts')
const { getEndpointById: endpointNamed, endpoints } = await import('../../../../shared/bridge/endpoints/index.ts')
const { buildCommandDraft: commandOf } = await import('../../../../renderer/model/forms/command-draft.ts')
const { createFormFields: fieldsOf } = await import('../../../../renderer/model/forms/form-fields.ts')
const { writeEndpointIds: writeIds } = await import('../../../../renderer/panes/write/write-endpoint-ids.ts')
const { startWritableApp } = await import('../../../support/program/writable-app.ts')
const { contractDoc } = await import('../../../../scripts/lib/contract.mjs')

const ID = 'decks.rename'

/** A host with that write; `keeps`: what it keeps of a title. */
async function renaming(keeps: (title: string) => string, answer: object = { persisted: true }) {
  const taken: unknown[] = []
  let title: string | null = null
  const alter: AlterResponse = (asked, { status, body }) => {
    if (asked.path.startsWith('/decks/') && asked.path.endsWith('/rename')) {
      taken.push(asked)
      title = keeps((asked.body as { title: string }).title)
      return { status: 200, body: answer }
    }
    if (asked.path !== '/decks' || title === null) return null
    const { decks } = body as { decks: object[] }
    return { status, body: { decks: decks.map((deck, at) => (at === 0 ? { ...deck, title } : deck)) } }
  }
  const program = await startWritableApp({ alter })
  await expect.poll(async () => (await program.app.call('connection.get', {})).phase).toBe('online')
  const deckId = program.host.state.library.decks[0]?.deckId ?? ''
  const draft: CommandDraft = { endpoint: ID, params: { deckId }, query: {}, body: { title: 'Fresh' } }
  return { ...program, taken, deckId, draft }
}

test('a write that is nothing but a row can be chosen, has a form, and is in the reference', () => {
  expect(writeIds).toContain(ID)
  const row = endpointNamed(ID)
  expect(fieldsOf(row).map(({ name, in: where, required }) => [name, where, required])).toEqual([
    ['deckId', 'path', true],
    ['title', 'body', true],
    ['order', 'body', false],
  ])
  expect(commandOf(row, { deckId: 'D' })).toMatchObject({ ok: false, errors: { title: { code: 'required' } } })
  expect(commandOf(row, { deckId: 'D', title: 'Fresh', order: '2' })).toEqual({
    ok: true,
    draft: { endpoint: ID, params: { deckId: 'D' }, query: {}, body: { title: 'Fresh', order: 2 } },
  })
  expect(contractDoc()).toContain('### POST /decks/{deckId}/rename')
})

test('it is shown, sent once through the gate, read back and judged', async () => {
  const { app, draft, deckId, taken, getOperation } = await renaming((title) => title)
  const prepared = await app.call('operations.prepare', draft)
  expect(prepared).toMatchObject({
    method: 'POST',
    path: `/decks/${deckId}/rename`,
    body: '{"title":"Fresh","confirm":true}',
    added: ['confirm'],
    listed: true,
  })
  expect(prepared.warnings.map(({ code }) => code)).toContain('cannot-be-undone')
  expect(taken).toEqual([])
  const { summary } = await app.call('operations.send', { ticket: prepared.ticket })
  expect(taken).toEqual([{ path: `/decks/${deckId}/rename`, body: { title: 'Fresh', confirm: true } }])
  expect(summary).toMatchObject({ endpoint: ID, state: 'persisted', verdict: { code: 'saved-and-verified' } })
  expect((await getOperation(summary.id)).changes.map(({ field, after }) => [field, after])).toEqual([
    ['title', 'Fresh'],
  ])
})

test('what the host keeps instead is seen, and so is what it did without saying so', async () => {
  const other = await renaming((title) => title.toUpperCase())
  expect((await other.sendDraft(other.draft)).summary.verdict.code).toBe('saved-but-differs')
  const silent = await renaming((title) => title, {})
  expect((await silent.sendDraft(silent.draft)).summary.verdict.code).toBe('unsaid-but-verified')
})

test('a host that lists it is no stranger, and one that does not is said to lack it', () => {
  const { method, path } = endpointNamed(ID)
  const listed = endpoints.map((row) => ({ method: row.method, path: row.path.replace(/\{[^}]+\}/g, '{id}') }))
  expect(compareCapabilities({ routes: listed })).toMatchObject({ unknownRoutes: [], missingRowIds: [] })
  const others = listed.filter((one) => routeOf({ method, path }, { routes: [one] }) === null)
  expect(compareCapabilities({ routes: others }).missingRowIds).toEqual([ID])
})
