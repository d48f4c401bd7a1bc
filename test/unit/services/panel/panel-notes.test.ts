import { expect, test } from 'vitest'
import { createPanelNotes } from '../../../../electron/services/panel/panel-notes.ts'

test('a note has the time that the page reports, unless nobody can believe it', () => {
  const bus = { publish: () => undefined, subscribe: () => () => undefined }
  const notes = createPanelNotes(bus, (text) => text)
  const start = Date.now()
  const note = { kind: 'click', level: 'info', what: null, text: 'x', file: '', line: null, column: null } as const
  for (const reported of [start - 500, start + 60_000, start - 3_600_000, Number.NaN, undefined])
    notes.add({ ...note, ...(reported === undefined ? {} : { at: reported }) })
  const [reportedTime, ...presentTimes] = notes.listAfter(0).notes.map((stored) => stored.at)
  expect(reportedTime).toBe(start - 500)
  for (const timestamp of presentTimes) {
    expect(timestamp).toBeGreaterThanOrEqual(start)
    expect(timestamp).toBeLessThanOrEqual(Date.now())
  }
  notes.close()
})
