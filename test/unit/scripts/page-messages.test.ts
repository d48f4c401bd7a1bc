import { expect, test } from 'vitest'
import { listKeyStarts, selectMessages } from '../../../scripts/build/page-messages.ts'

const messages = {
  recordings: { part: { steps: 'Steps', calls: 'Calls' }, partial: 'Partial', other: 'Other' },
  common: { copy: 'Copy', copied: 'Copied', state: { idle: 'Idle', failed: 'Failed' } },
  write: { 'note-title': 'Title' },
}
const select = (script: string) => selectMessages(messages, listKeyStarts(script))

test('a key that the script names is kept, and no other', () => {
  expect(select(`t("recordings.other"), t('common.copy')`)).toEqual({
    recordings: { other: 'Other' },
    common: { copy: 'Copy' },
  })
  expect(select('t(`write.note-title`)')).toEqual({ write: { 'note-title': 'Title' } })
})

test('all that a template or a prefix can become is kept', () => {
  expect(select('t(`recordings.part.${name}`)')).toEqual({ recordings: { part: messages.recordings.part } })
  expect(select('t(`recordings.part${name}`)')).toEqual({
    recordings: { part: messages.recordings.part, partial: 'Partial' },
  })
  expect(select('t("common.state." + state)')).toEqual({ common: { state: messages.common.state } })
  expect(select('const group = "common.state"; t(`${group}.${state}`)')).toEqual({
    common: { state: messages.common.state },
  })
})

test('a word without a dot, or a text that only contains a key, keeps nothing', () => {
  expect(select('t("recordings"), log("see common.copy")')).toEqual({})
})
