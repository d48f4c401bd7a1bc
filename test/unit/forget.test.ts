/** @module-tag slow */

import { expect, test } from 'vitest'
import type { ReadInput } from '../../shared/ipc/bridge.ts'
import { startWritableApp, buildTitleDraft } from '../support/program/writable-app.ts'

const render = (noteid: string) => ({ endpoint: 'notes.render' as const, params: { noteid }, query: { format: 'png' } })

const tree = (topicid: string, query: ReadInput['query']): ReadInput => ({
  endpoint: 'studySets.tree',
  readAhead: true,
  params: { topicid },
  query,
})

interface Page {
  readonly nodes: readonly { readonly noteid: string; readonly title: string }[]
  readonly nextCursor: string
}

test('a card is rendered again after a write to it, even while its picture is cached', async () => {
  const { app, card, sendDraft } = await startWritableApp()
  const isKept = async (): Promise<boolean> => (await app.call('content.open', render(card.noteid))).fromCache
  expect([await isKept(), await isKept()]).toEqual([false, true])
  await sendDraft(buildTitleDraft(card.noteid, 'Another title'))
  expect([await isKept(), await isKept()]).toEqual([false, true])
})

test('a write to one card keeps the cached content of other cards', async () => {
  const { app, set, card, sendDraft } = await startWritableApp()
  const other = set.cards.find(
    ({ noteid, parts }) => noteid !== card.noteid && parts.some((part) => 'contentId' in part),
  )
  const contentId = other?.parts
    .map((part) => Reflect.get(part, 'contentId') as unknown)
    .find((id) => typeof id === 'string')
  if (!other || typeof contentId !== 'string') throw new Error('no card with a content')
  const content = { endpoint: 'notes.content' as const, params: { noteid: other.noteid, contentId }, query: {} }
  const isKept = async (): Promise<boolean> => (await app.call('content.open', content)).fromCache
  expect([await isKept(), await isKept()]).toEqual([false, true])
  await sendDraft(buildTitleDraft(card.noteid, 'Another title'))
  expect(await isKept()).toBe(true)
  await sendDraft(buildTitleDraft(other.noteid, 'Another title'))
  expect(await isKept()).toBe(false)
})

test('a listing that continues after a write contains nothing read ahead before the write', async () => {
  const { app, host, set, sendDraft } = await startWritableApp()
  const page = async (query: ReadInput['query']): Promise<Page> => {
    const { bytes } = await app.call('bridge.read', tree(set.topicid, query))
    return JSON.parse(Buffer.from(bytes).toString('utf8')) as Page
  }
  const before = host.log.length
  const { nextCursor } = await page({ limit: 2 })
  // The next page is requested on a guess, and nobody claims it.
  await expect.poll(() => host.log.length - before).toBe(2)
  const { nodes } = JSON.parse(
    Buffer.from((await app.call('bridge.read', { ...tree(set.topicid, {}), readAhead: false })).bytes).toString('utf8'),
  ) as Page
  await sendDraft(buildTitleDraft(nodes[2]?.noteid ?? '', 'Written meanwhile'))
  expect((await page({ limit: 2, cursor: nextCursor })).nodes[0]).toMatchObject({ title: 'Written meanwhile' })
})
