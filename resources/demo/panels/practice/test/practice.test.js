import { afterAll, expect, test } from 'vitest'
import { hostApi } from 'bridge-inspector/testing'
import { readCards, readUiState, saveVerdict } from '../bridge.js'

globalThis.host = hostApi({ plugin: 'app.demo.practice', writes: 'allow' })
afterAll(() => host.close())

test('saves a verdict without confirm, which the host fills in', async () => {
  const { state } = await readUiState()
  const [card] = (await readCards([state.focusnoteid])).items
  const verdict = { commentId: card.noteid, expectedRevision: card.commentsRevision, self: 'good' }
  const result = await saveVerdict(card.noteid, { ...verdict, practice: { topic: state.topicid } })
  expect(result).toMatchObject({ persisted: true })
  expect((await host.calls()).at(-1).changes.map(({ member }) => member)).toEqual(['/confirm'])
  expect(await host.findings()).toEqual([])
})
