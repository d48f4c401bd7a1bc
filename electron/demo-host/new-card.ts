import { randomUUID } from 'node:crypto'
import type { DemoCard } from './library/model.ts'

/** A new card without a document. */
export function newCard(topicid: string, parent: string | null, title: string, text = ''): DemoCard {
  const noteid = randomUUID().toUpperCase()
  return {
    noteid,
    topicid,
    parent,
    title,
    texts: text === '' ? [] : [{ index: 0, text, excerpt: false, noteid, kind: 'text' }],
    parts: [],
    hashtags: [],
    colorIndex: 0,
    fillIndex: -1,
    revision: 1,
    bands: [],
    practice: [],
    subMapId: null,
    folded: false,
    docBookmd5: null,
    docPage: null,
  }
}
