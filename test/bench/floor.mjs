import http from 'node:http'

/**
 * The baseline that nothing can beat: the same pages, one after the other, with Node's HTTP client
 * and `JSON.parse`. Milliseconds for the first page and for all, and of this process's processor.
 */
export async function measureFloor(baseUrl, token, topicid) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  const started = performance.now()
  const before = process.cpuUsage()
  let first = 0
  let nodes = 0
  let cursor = null
  do {
    const page = await get(
      agent,
      token,
      `${baseUrl}/study-sets/${topicid}/tree?limit=5000${cursor ? `&cursor=${cursor}` : ''}`,
    )
    nodes += page.nodes.length
    if (first === 0) first = performance.now() - started
    cursor = page.nextCursor
  } while (cursor)
  agent.destroy()
  const { user, system } = process.cpuUsage(before)
  return { first, all: performance.now() - started, processor: (user + system) / 1_000, nodes }
}

function get(agent, token, url) {
  return new Promise((resolve, reject) => {
    http
      .get(url, { agent, headers: { authorization: `Bearer ${token}` } }, (response) => {
        const pieces = []
        response.on('data', (piece) => pieces.push(piece))
        response.on('end', () => resolve(JSON.parse(Buffer.concat(pieces).toString('utf8'))))
        response.on('error', reject)
      })
      .on('error', reject)
  })
}
