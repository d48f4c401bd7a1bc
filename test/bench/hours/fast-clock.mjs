import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * A clock that runs `speed` times as fast as this process's own from now on: `env` for the
 * processes of Node, `script` for the page before its own. `heapsOf` tells what each thread of such
 * a process holds, the main thread first.
 */
export function fastClock(folder, speed) {
  const began = Date.now()
  const heaps = path.join(folder, 'heaps')
  mkdirSync(heaps)
  let times = 0
  const ask = () => writeFileSync(path.join(heaps, 'asked'), String(times))
  ask()
  const source = readFileSync(new URL('clock.js', import.meta.url), 'utf8')
  return {
    env: {
      NODE_OPTIONS: `--import=${new URL('fast-node.mjs', import.meta.url).href}`,
      BENCH_CLOCK: JSON.stringify({ speed, began, folder: heaps }),
    },
    script: `Object.assign(globalThis, ${JSON.stringify({ clockSpeed: speed, clockBegan: began })})\n${source}`,
    async heapsOf(pid) {
      times += 1
      ask()
      for (;;) {
        await sleep(100)
        const reports = readdirSync(heaps)
          .filter((name) => name.startsWith(`${pid}-`))
          .sort()
          .map((name) => read(path.join(heaps, name)))
        if (reports.every((report) => report?.asked === times)) return reports
      }
    },
  }
}

/** Null while it is being written. */
function read(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}
