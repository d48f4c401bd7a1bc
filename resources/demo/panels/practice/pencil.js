// @ts-check
/*
 * Commits pencil strokes. An acknowledgement does not mean that they are saved, so the panel polls
 * the same request until it is settled.
 */
import { commitPencil, readPencilResult, readWritingContext, wait } from './bridge.js'
import { getElement, showFailure, showProgress } from './messages.js'

/**
 * The unsettled request is stored under this key, so that polling continues after a reload of the
 * panel. Some hosts give a panel no storage.
 */
const STORAGE_KEY = 'pencil-request'

function storeRequestId(requestId) {
  try {
    if (requestId === null) sessionStorage.removeItem(STORAGE_KEY)
    else sessionStorage.setItem(STORAGE_KEY, requestId)
  } catch {
    /* Without storage, polling continues only until the panel is reloaded. */
  }
}

function loadRequestId() {
  try {
    return sessionStorage.getItem(STORAGE_KEY)
  } catch {
    return null
  }
}

/** Polls at most twice a second, and more slowly after ten polls. */
const getPollDelayMs = (polls) => (polls < 10 ? 600 : 2_000)

/** Commits the strokes of the canvas that is open, and waits until the commit is settled. */
export async function commitStrokes() {
  const context = await readWritingContext()
  if (showFailure('The writing window could not be read', context)) return
  // The contract shows only the study set of the window.
  const { window, surfaces, canvas } = /** @type {any} */ (context)
  const surfaceId = window?.surfaceId ?? surfaces?.find(({ active }) => active)?.surfaceId
  const { topicid, noteid } = window ?? {}
  if (!surfaceId || !topicid || !noteid) return showProgress('No canvas is open in the host.')
  const requestId = crypto.randomUUID()
  const target = { topicid, noteid, layerId: canvas?.layerId ?? '' }
  const ack = await commitPencil({ surfaceId, requestId, target })
  if (showFailure('The pencil was not committed', ack)) return
  storeRequestId(requestId)
  await pollUntilSettled(requestId)
}

/** Continues to poll a commit from before a reload. */
export async function resumeCommit() {
  const requestId = loadRequestId()
  if (requestId !== null) await pollUntilSettled(requestId)
}

async function pollUntilSettled(requestId) {
  getElement('pencil').disabled = true
  for (let polls = 0; ; polls += 1) {
    showProgress(`Committed, not saved yet. Asked ${polls} times.`)
    await wait(getPollDelayMs(polls))
    const result = await readPencilResult(requestId)
    if (showFailure('Nobody knows what became of the commit; read the card again', result)) {
      showProgress('')
      break
    }
    if (!result.settled) continue
    const saved = result.outcome === 'saved' && result.persistedSnapshotVerified
    showProgress(saved ? 'Settled: the strokes are saved.' : `Settled: ${result.outcome}. The strokes are not saved.`)
    break
  }
  storeRequestId(null)
  getElement('pencil').disabled = false
}
