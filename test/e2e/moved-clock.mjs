// Loaded into a browser host before it starts: its clocks are ahead by as many milliseconds as the
// file named by MOVED_CLOCK says.
import { readFileSync } from 'node:fs'

const file = process.env['MOVED_CLOCK'] ?? ''
const { now } = Date
let ahead = 0
// The monotonic clock, which nobody can set, never goes back.
let passed = 0
Date.now = () => now() + ahead
const elapsed = performance.now.bind(performance)
performance.now = () => elapsed() + passed
setInterval(() => {
  try {
    ahead = Number(readFileSync(file, 'utf8'))
    passed = Math.max(passed, ahead)
  } catch {
    // The file does not exist before the first move.
  }
}, 50).unref()
