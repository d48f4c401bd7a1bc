/**
 * Texts known to break programs, to be used as titles: every kind that the public lists of naughty
 * strings cover, written for this list or generated. None is empty, and none appears twice.
 */
const words =
  'undefined undef null NULL (null) nil NIL true false True False None hasOwnProperty __proto__ constructor prototype toString valueOf then ' +
  'length name \\ \\\\ 0 1 1.00 $1.00 1/2 1E2 1E02 1E+02 -1 -1.00 -$1.00 -1/2 -1E2 1/0 0/0 -2147483648/-1 -9223372036854775808/-1 -0 -0.0 +0 ' +
  '+0.0 0.00 0..0 . 0.0.0 0,00 0,,0 , 0,0,0 0.0/0 1.0/0.0 0.0/0.0 1,0/0,0 0,0/0,0 --1 - -. -, ' +
  '999999999999999999999999999999999999999999999999999999999999 NaN Infinity -Infinity INF 1#INF -1#IND 1#QNAN 1#SNAN 0x0 0xffffffff ' +
  '0xffffffffffffffff 0xabad1dea 123456789012345678901234567890123456789 1,000.00 1.000,00 01000 08 09 2.2250738585072011e-308 ' +
  '9007199254740993 1e308 1e309 0b10 0o17 1_000 1n 2024-02-30 00:00 12:60 ٠١٢٣ １２３ Ⅻ ½ ² ௧ ' +
  'CON PRN AUX NUL COM1 LPT1 CLOCK$ desktop.ini .htaccess .git ~ ~root * ? ?. % %% %s %d %n %x%x%x%x %*.*s %@ %% {0} {} ${} #{} {{}} ' +
  '{{7*7}} ${7*7} <%=7*7%> #{7*7} *{7*7} @{7*7} {{constructor.constructor`alert(1)`()}} $HOME $ENV{HOME} %USERPROFILE% `ls` $(ls) ;ls |ls &ls'

const lines = String.raw`
!@#$%^&*()_+{}|:"<>?
-_=+[]{}\|;:'",./<>?
<>?:"{}|_+
!@#$%^&*()${'`'}~
'
"
''
""
'"'
"''''"'"
"'"'"''''"
“”
‘’«»„‟‹›
Scunthorpe General Hospital
Penistone Community Church
Lightwater Country Park
Jimmy Clitheroe
Horniman Museum
shitake mushrooms
RomansInSussex.co.uk
http://www.cum.qc.ca/
Craig Cockburn, Software Specialist
Linda Callahan
Dr. Herman I. Libshitz
magna cum laude
medieval erection of parapets
evaluate
mocha
expression
Arsenal canal
classic
Tyson Gay
Dick Van Dyke
basement
If you're reading this, you've been in a coma for almost 20 years now.
1;DROP TABLE users
1'; DROP TABLE users-- 1
' OR 1=1 -- 1
' OR '1'='1
'; EXEC sp_MSForEachTable 'DROP TABLE ?'; --
../../../../../../../../../../../etc/passwd%00
../../../../../../../../../../../etc/hosts
C:\Windows\System32\drivers\etc\hosts
\\server\share\file.txt
file:///etc/passwd
() { 0; }; touch /tmp/x;
() { _; } >_[$($())] { touch /tmp/x; }
<<< %s(un='%s') = %u
+++ATH0
--help
--version
-rf
$(touch /tmp/x)
@{[system "touch /tmp/x"]}
eval("puts 'hello world'")
System("ls -al /")
Kernel.exec("ls -al /")
<?xml version="1.0"?><!DOCTYPE foo [<!ENTITY x SYSTEM "file:///etc/passwd">]><foo>&x;</foo>
]]>
&amp;&lt;&gt;&quot;&#39;&nbsp;
&#x202e;
&;
&copy
<script>window.hacked()</script>
"><img src=x onerror=window.hacked()>
javascript:window.hacked()
=1+1
=cmd|' /C calc'!A0
=HYPERLINK("http://127.0.0.1:9/?"&A1,"x")
+1+1
-1+1
@SUM(1+1)
=1+1";=1+1
DDE("cmd";"/C calc";"x")
\N
\0
\u0000
\x00
%00
%0d%0aSet-Cookie:x=1
a,b;c|d
"a","b"
Ω≈ç√∫˜µ≤≥÷
åß∂ƒ©˙∆˚¬…æ
œ∑´®†¥¨ˆøπ“‘
¡™£¢∞§¶•ªº–≠
¸˛Ç◊ı˜Â¯˘¿
ÅÍÎÏ˝ÓÔÒÚÆ☃
Œ„´‰ˇÁ¨ˆØ∏”’
⁄€‹›ﬁﬂ‡°·‚—±
⅛⅜⅝⅞
ЁЂЃЄЅІЇЈЉЊЋЌЍЎЏАБВГДЕЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯабвгдежзийклмнопрстуфхцчшщъыьэюя
٠١٢٣٤٥٦٧٨٩
⁰⁴⁵
₀₁₂
⁰⁴⁵₀₁₂
ด้้้้้็็็็็้้้้้็็็็็้้้้้้้้็็็็็้้้้้็็็็็้้้้้้้้็็็็็้้้้้็็็็็้้้้้้้้
田中さんにあげて下さい
パーティーへ行かないか
和製漢語
部落格
사회과학원 어학연구소
찦차를 타고 온 펲시맨과 쑛다리 똠방각하
社會科學院語學研究所
울란바토르
𠜎𠜱𠝹𠱓𠱸𠲖𠳏
表ポあA鷗ŒéＢ逍Üßªąñ丂㐀𠀀
新しい空白　です
Ⱥ
Ⱦ
İstanbul ıI
ΜΕΓΑΣ
Αλέξανδρος ΜΕΓΑΣ
ΜΕΓΑΣΑ
ẞß
ŉ ǰ ΐ ΰ և ẖ ẗ ẘ ẙ ẚ
ヽ༼ຈل͜ຈ༽ﾉ ヽ༼ຈل͜ຈ༽ﾉ
(｡◕ ∀ ◕｡)
｀ｨ(´∀｀∩
__ﾛ(,_,*)
・(￣∀￣)・:*:
ﾟ･✿ヾ╲(｡◕‿◕｡)╱✿･ﾟ
,。・:*:・゜’( ☻ ω ☻ )。・:*:・゜’
(╯°□°）╯︵ ┻━┻)
(ﾉಥ益ಥ）ﾉ﻿ ┻━┻
┬─┬ノ( º _ ºノ)
( ͡° ͜ʖ ͡°)
¯\_(ツ)_/¯
😍
👩🏽
👨‍🦰 👨🏿‍🦰 👨‍🦱 👨🏿‍🦱 🦹🏿‍♂️
👾 🙇 💁 🙅 🙆 🙋 🙎 🙍
🐵 🙈 🙉 🙊
❤️ 💔 💌 💕 💞 💓 💗 💖 💘 💝 💟 💜 💛 💚 💙
✋🏿 💪🏿 👐🏿 🙌🏿 👏🏿 🙏🏿
👨‍👩‍👦 👨‍👩‍👧‍👦 👨‍👨‍👦 👩‍👩‍👧 👨‍👦 👨‍👧‍👦 👩‍👦 👩‍👧‍👦
🚾 🆒 🆓 🆕 🆖 🆗 🆙 🏧
0️⃣ 1️⃣ 2️⃣ 3️⃣ 🔟
🇺🇸🇷🇺🇸 🇦🇫🇦🇲🇸
🇺🇸🇷🇺🇸🇦🇫🇦🇲
🏴󠁧󠁢󠁥󠁮󠁧󠁿
ثم نفس سقطت وبالتحديد،, جزيرتي باستخدام أن دنو
בְּרֵאשִׁית, בָּרָא אֱלֹהִים, אֵת הַשָּׁמַיִם, וְאֵת הָאָרֶץ
הָיְתָהtestالصفحات التّحول
﷽
ﷺ
مُنَاقَشَةُ سُبُلِ اِسْتِخْدَامِ اللُّغَةِ
الكل في المجمو عة (5)
᚛ᚄᚓᚐᚋᚒᚄ ᚑᚄᚂᚑᚏᚅ᚜
Powerلُلُصّبُلُلصّبُررً ॣ ॣh ॣ ॣ 冗
🏳0🌈️
జ్ఞ‌ా
گچپژ
{% print 'x' * 64 * 1024**3 %}
T̵̹̘̬̰h͔͎͓̬͞e̪̰̣͓͟ ҉̸͚̗N͠e̗̰z̘͙̤̻p̖̬̬̮e̡̻̫̱r̖͕̻̞d̹͔͞i͇̫͈a̶͖͎̻n̷̪͉ ͖̝̘h͇̣i̭͇v̼̪e̘͔-̞̤m̫̭i̠̤n͈͙d̬̲ ̱̻o̗̬f̠̪ ̩̖c̡̤h̜͕a̗̱o̲̱s̪̖.̰̝ ̙̲Z̬͍a͓̟l͉̩g̞̤o̗̖.
˙ɐnbᴉlɐ ɐuƃɐɯ ǝɹolop ʇǝ ǝɹoqɐl
Ｔｈｅ ｑｕｉｃｋ ｂｒｏｗｎ ｆｏｘ
𝐓𝐡𝐞 𝐪𝐮𝐢𝐜𝐤 𝖋𝖔𝖝 𝓫𝓻𝓸𝔀𝓷
⒯⒣⒠ ⒬⒰⒤⒞⒦
é vs é
Å Å Å
ﬀ ﬁ ﬂ ﬃ ﬄ ﬅ ﬆ
1́2̈3̃`
  .split('\n')
  .filter((line) => line !== '')

const wrapped = (points: readonly number[]): string[] => points.map((point) => `a${String.fromCodePoint(point)}b`)
const span = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

/**
 * One text for each C0 and C1 control, space, zero-width mark, bidi control, tag and noncharacter.
 */
const characters = wrapped([
  ...span(0x01, 0x1f),
  ...span(0x7f, 0x9f),
  ...[0xa0, 0xad, 0x034f, 0x061c, 0x115f, 0x1160, 0x1680, 0x17b4, 0x180e, 0x3000, 0x3164, 0xfeff, 0xffa0],
  ...span(0x2000, 0x200f),
  ...span(0x2028, 0x202f),
  ...span(0x205f, 0x206f),
  ...[0xfdd0, 0xfffc, 0xfffd, 0xfffe, 0xffff, 0x1f3fb, 0xe0001, 0xe0041, 0xe007f, 0xe0100, 0xf0000, 0x10ffff],
])

const long = [
  'x'.repeat(63),
  'x'.repeat(64),
  'x'.repeat(65),
  '𠜎'.repeat(64),
  `e${'\u0301'.repeat(500)}`,
  'W'.repeat(5_000),
]
const torn = [
  'half of a letter \ud801',
  '\udc00 other half',
  'half of a pair \ud83d',
  '\ude39 other half',
  'a\ud800\ud800b',
  '\u202eevil\u202c',
  '\u2066isolated',
  'a\0b',
]

export const naughty: readonly string[] = [...new Set([...words.split(' '), ...lines, ...characters, ...long, ...torn])]
