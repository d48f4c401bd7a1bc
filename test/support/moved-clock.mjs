// Loaded into a browser host before it starts: its clocks are ahead by as many milliseconds as the file named by MOVED_CLOCK says.
import { readFileSync } from 'node:fs'

const file = process.env['MOVED_CLOCK'] ?? ''
const { now } = Date
let ahead = 0
Date.now = () => now() + ahead
// What nobody can set moves on only with time: a clock that is set back leaves it as it is.
const elapsed = performance.now.bind(performance)
performance.now = () => elapsed() + Math.max(0, ahead)
setInterval(() => {
  try {
    ahead = Number(readFileSync(file, 'utf8'))
  } catch {
    // Nothing was moved yet.
  }
}, 50).unref()
