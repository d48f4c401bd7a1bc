// @ts-check
/*
 * One mistake on purpose, to have something to debug: the pages of a document are counted from 0,
 * but the bridge counts them from 1.
 */
import { listEntries, readDocuments, readPageParts } from './bridge.js'
import { getElement } from './messages.js'

const isWanted = new URLSearchParams(location.search).has('mistake')
if (isWanted) document.title += ' with a mistake'

export async function makeMistake(topicid) {
  if (!isWanted) return
  const documents = await readDocuments(topicid)
  const bookmd5 = listEntries(documents, 'documents')[0]?.bookmd5
  if (!bookmd5) return
  const parts = await readPageParts(bookmd5, 0)
  getElement('mistake').hidden = !parts.error
}
