import { fork } from 'node:child_process'

/** Starts `host.mjs` as a separate process. Resolves with its address, the large study set, how many pages it has, and its controls. */
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
    const answer = next()
    child.send(message)
    return answer
  }
  return {
    baseUrl,
    topicid,
    pages,
    /** How long it takes for each page from now on. */
    delay: (delayMs) => order({ delayMs }),
    /** Pages asked for so far, pages being answered, and when the last one ended. */
    counts: () => order({}),
    stop: () => child.disconnect(),
  }
}
