import { expect, test } from 'vitest'
import { endpoints } from '../../../../shared/bridge/endpoints/index.ts'
import { startWritableApp } from '../../../support/program/writable-app.ts'

test('a task is not judged by the user’s data', async () => {
  const { set, sendDraft, getOperation } = await startWritableApp({
    alter: ({ path }) => (path.endsWith('/export') ? { status: 200, body: {} } : null),
  })
  const { summary } = await sendDraft({
    endpoint: 'studySets.printExport',
    params: { topicid: set.topicid },
    query: {},
    body: { plan: {} },
  })
  expect(summary.verdict.code).toBe('unknown-not-read-back')
  expect((await getOperation(summary.id)).readable).toBe(false)
})

test('no task claims to touch the user’s data', () => {
  const tasks = endpoints.filter(({ access }) => access === 'task')
  expect(tasks.length).toBeGreaterThan(3)
  expect(tasks.flatMap(({ touches }) => [...touches])).toEqual([])
})
