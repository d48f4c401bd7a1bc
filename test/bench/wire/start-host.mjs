import { fork } from 'node:child_process'

/**
 * Starts `host.mjs` as a separate process. Resolves with its address, the large study set, how many
 * pages it has, and its controls.
 */
export async function startHost(nodes, token) {
  const child = fork(new URL('host.mjs', import.meta.url), ['--nodes', String(nodes)], {
    env: { ...process.env, BENCH_TOKEN: token },
  })
  const next = () =>
    new Promise((resolve, reject) => {
      const failed = (code) => reject(new Error(`The bench's host exited with code ${code}.`))
      child.once('exit', failed)
      child.once('message', (message) => {
        child.off('exit', failed)
        resolve(message)
      })
    })
  const { baseUrl, topicid, pages } = await next()
  const order = (message) => {
    const response = next()
    child.send(message)
    return response
  }
  return {
    baseUrl,
    topicid,
    pages,
    /** How long it takes for each page from now on. */
    delay: (delayMs) => order({ delayMs }),
    /**
     * Pages asked for so far, pages being answered, and when the last one ended; of all else
     * `passed`, how often each path was asked for, and `abandoned`, how often nobody waited for the
     * answer.
     */
    counts: () => order({}),
    /** Selects the card at this index of the large study set, as its user would. */
    select: (index) => order({ select: index }),
    /** Settles all commits but the one with this request id. */
    settleBut: (requestId) => order({ settleBut: requestId }),
    stop: () => child.disconnect(),
  }
}
