/* The pencil: an acknowledgement is not the end, so the same request is asked for until it is settled. */
import { commitPencil, pencilResult, wait, writingContext } from './bridge.js'
import { at, done, failed } from './say.js'

/** Outlives a reload of the panel: what was committed is asked for again then. Where a host gives no storage, it does not. */
const KEPT = 'pencil-request'

function keep(requestId) {
  try {
    if (requestId === null) sessionStorage.removeItem(KEPT)
    else sessionStorage.setItem(KEPT, requestId)
  } catch {
    /* Without storage, what was committed is followed until the panel is loaded again. */
  }
}

function kept() {
  try {
    return sessionStorage.getItem(KEPT)
  } catch {
    return null
  }
}

/** At most twice a second, and more slowly the longer it takes. */
const delay = (polls) => (polls < 10 ? 600 : 2_000)

/** Commits the strokes of the canvas that is open, and waits for what became of them. */
export async function commit() {
  const context = await writingContext()
  if (failed('The writing window could not be read', context)) return
  const surfaceId = context.window?.surfaceId ?? context.surfaces?.find(({ active }) => active)?.surfaceId
  const { topicid, noteid } = context.window ?? {}
  if (!surfaceId || !topicid || !noteid) return done('No canvas is open in the host.')
  const requestId = crypto.randomUUID()
  const target = { topicid, noteid, layerId: context.canvas?.layerId ?? '' }
  const ack = await commitPencil({ surfaceId, requestId, target })
  if (failed('The pencil was not committed', ack)) return
  keep(requestId)
  await follow(requestId)
}

/** Goes on with a commit from before a reload. */
export async function resume() {
  const requestId = kept()
  if (requestId !== null) await follow(requestId)
}

async function follow(requestId) {
  at('pencil').disabled = true
  for (let polls = 0; ; polls += 1) {
    done(`Committed, not saved yet. Asked ${polls} times.`)
    await wait(delay(polls))
    const result = await pencilResult(requestId)
    if (failed('Nobody knows what became of the commit; read the card again', result)) {
      done('')
      break
    }
    if (!result.settled) continue
    const saved = result.outcome === 'saved' && result.persistedSnapshotVerified
    done(saved ? 'Settled: the strokes are saved.' : `Settled: ${result.outcome}. The strokes are not saved.`)
    break
  }
  keep(null)
  at('pencil').disabled = false
}
