/** @module-tag slow */

import { expect, test, vi } from 'vitest'
import type { AlterResponse } from '../../../support/hosts/altering-host.ts'
import type { CommandDraft } from '../../../../shared/operations/prepared-write.ts'

vi.mock('../../../../shared/bridge/endpoints/decks.ts', async (original) => {
  const { deckEndpoints } = await original<{ deckEndpoints: readonly unknown[] }>()
  const { extraWriteRows } = await import('../../../support/services/extra-write-rows.ts')
  return { deckEndpoints: [...deckEndpoints, ...extraWriteRows] }
})
const { compareCapabilities, findRowRoute } = await import('../../../../shared/bridge/capabilities.ts')
const { getEndpointById, endpoints } = await import('../../../../shared/bridge/endpoints/index.ts')
const { buildCommandDraft } = await import('../../../../renderer/model/forms/command-draft.ts')
const { createFormFields } = await import('../../../../renderer/model/forms/form-fields.ts')
const { writeEndpointIds } = await import('../../../../renderer/panes/write/write-endpoint-ids.ts')
const { startWritableApp } = await import('../../../support/program/writable-app.ts')
const { createContractDoc } = await import('../../../../scripts/lib/contract.mjs')

const ID = 'decks.rename'

/** Starts a host with that write. `keeps` returns the title that the host stores. */
async function startRenamingHost(toStoredTitle: (title: string) => string, response: object = { persisted: true }) {
  const received: unknown[] = []
  let title: string | null = null
  const alter: AlterResponse = (request, { status, body }) => {
    if (request.path.startsWith('/decks/') && request.path.endsWith('/rename')) {
      received.push(request)
      title = toStoredTitle((request.body as { title: string }).title)
      return { status: 200, body: response }
    }
    if (request.path !== '/decks' || title === null) return null
    const { decks } = body as { decks: object[] }
    return { status, body: { decks: decks.map((deck, index) => (index === 0 ? { ...deck, title } : deck)) } }
  }
  const program = await startWritableApp({ alter })
  await expect.poll(async () => (await program.app.call('connection.get', {})).phase).toBe('online')
  const deckId = program.host.state.library.decks[0]?.deckId ?? ''
  const draft: CommandDraft = { endpoint: ID, params: { deckId }, query: {}, body: { title: 'Fresh' } }
  return { ...program, received, deckId, draft }
}

test('a write that is only a row can be chosen, has a form, and is in the reference', () => {
  expect(writeEndpointIds).toContain(ID)
  const row = getEndpointById(ID)
  expect(createFormFields(row).map(({ name, in: place, required }) => [name, place, required])).toEqual([
    ['deckId', 'path', true],
    ['title', 'body', true],
    ['order', 'body', false],
  ])
  expect(buildCommandDraft(row, { deckId: 'D' })).toMatchObject({ ok: false, errors: { title: { code: 'required' } } })
  expect(buildCommandDraft(row, { deckId: 'D', title: 'Fresh', order: '2' })).toEqual({
    ok: true,
    draft: { endpoint: ID, params: { deckId: 'D' }, query: {}, body: { title: 'Fresh', order: 2 } },
  })
  expect(createContractDoc()).toContain('### `POST /decks/{deckId}/rename`')
})

test('a write that is only a row is shown, sent once, read back and judged', async () => {
  const { app, draft, deckId, received, getOperation } = await startRenamingHost((title) => title)
  const prepared = await app.call('operations.prepare', draft)
  expect(prepared).toMatchObject({
    method: 'POST',
    path: `/decks/${deckId}/rename`,
    body: '{"title":"Fresh","confirm":true}',
    added: ['confirm'],
    listed: true,
  })
  expect(prepared.warnings.map(({ code }) => code)).toContain('cannot-be-undone')
  expect(received).toEqual([])
  const { summary } = await app.call('operations.send', { ticket: prepared.ticket })
  expect(received).toEqual([
    { method: 'POST', path: `/decks/${deckId}/rename`, body: { title: 'Fresh', confirm: true } },
  ])
  expect(summary).toMatchObject({ endpoint: ID, state: 'persisted', verdict: { code: 'saved-and-verified' } })
  expect((await getOperation(summary.id)).changes.map(({ field, after }) => [field, after])).toEqual([
    ['title', 'Fresh'],
  ])
})

test('a different stored value and an unreported effect are detected', async () => {
  const upperCase = await startRenamingHost((title) => title.toUpperCase())
  expect((await upperCase.sendDraft(upperCase.draft)).summary.verdict.code).toBe('saved-but-differs')
  const silent = await startRenamingHost((title) => title, {})
  expect((await silent.sendDraft(silent.draft)).summary.verdict.code).toBe('unsaid-but-verified')
})

test('a host that lists the row has no unknown route, and another lacks it', () => {
  const { method, path } = getEndpointById(ID)
  const listed = endpoints.map((row) => ({ method: row.method, path: row.path.replace(/\{[^}]+\}/g, '{id}') }))
  expect(compareCapabilities({ routes: listed })).toMatchObject({ unknownRoutes: [], missingRowIds: [] })
  const others = listed.filter((route) => findRowRoute({ method, path }, { routes: [route] }) === null)
  expect(compareCapabilities({ routes: others }).missingRowIds).toEqual([ID])
})
