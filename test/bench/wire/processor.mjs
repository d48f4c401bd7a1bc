import { readdirSync, readFileSync } from 'node:fs'

/** The processes that a load keeps busy, by what they are: the service and those of the browser. */
export async function processesOf(browser, servicePid) {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const matches = new Map([['service', [servicePid]]])
  for (const { id, type } of processInfo) {
    const name = type.includes('network') ? 'network' : type
    matches.set(name, [...(matches.get(name) ?? []), id])
  }
  return matches
}

/**
 * Processor milliseconds so far by process and thread name; empty where the system does not tell
 * (anything but Linux).
 */
export function processorOf(processes) {
  const threads = new Map()
  for (const [name, pids] of processes) {
    for (const pid of pids) {
      for (const tid of tasksOf(pid)) {
        const spent = taskOf(pid, tid)
        if (spent) threads.set(`${pid}/${tid}`, { process: name, ...spent, isMain: pid === tid })
      }
    }
  }
  return threads
}

/**
 * What was spent between two readings: `{ total, processes: { service: ms }, threads: {
 * 'service/V8Worker': ms } }`.
 */
export function spentBetween(before, after) {
  const processes = {}
  const threads = {}
  let total = 0
  for (const [key, { process, thread, ms, isMain }] of after) {
    const spent = ms - (before.get(key)?.ms ?? 0)
    const name = `${process}/${isMain ? 'main' : thread}`
    processes[process] = (processes[process] ?? 0) + spent
    threads[name] = (threads[name] ?? 0) + spent
    total += spent
  }
  return { total, processes, threads }
}

function tasksOf(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).map(Number)
  } catch {
    return []
  }
}

function taskOf(pid, tid) {
  try {
    const taskFolder = `/proc/${pid}/task/${tid}`
    const [nanoseconds] = readFileSync(`${taskFolder}/schedstat`, 'utf8').split(' ')
    return {
      ms: Number(nanoseconds) / 1e6,
      thread: readFileSync(`${taskFolder}/comm`, 'utf8')
        .trim()
        .replace(/[\d/]+$/, ''),
    }
  } catch {
    // It has just ended.
    return null
  }
}
