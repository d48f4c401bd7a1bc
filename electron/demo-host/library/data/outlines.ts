/* eslint max-lines: "off" -- a table of titles, not code */
/** Titles, indented by two spaces per level, as students write them, awkward ones included. */
export interface SetOutline {
  readonly title: string
  readonly documents: readonly { readonly title: string; readonly pages: number; readonly missing?: boolean }[]
  readonly outline: string
}

const anatomy = `骨学
  躯干骨
    椎骨 vertebrae
      颈椎 C1 寰椎（无椎体）
      颈椎 C2 枢椎（齿突）
      胸椎：肋凹
      腰椎：棘突宽大水平
      骶骨与骶管裂孔
    肋与胸骨
      胸骨角平对第二肋 — 计数肋的标志
      真肋、假肋、浮肋
  颅骨
    颅盖
    颅底内面观
      前颅窝：筛板 → 嗅神经
      中颅窝：圆孔、卵圆孔、棘孔
      后颅窝：枕骨大孔、颈静脉孔
    颞下颌关节
  四肢骨
    上肢带骨
    肱骨外科颈骨折 → 腋神经
    桡骨茎突比尺骨低 1 cm
    髋骨：髂、坐、耻
    股骨颈干角 125–130°
关节学
  肩关节：球窝，稳定性靠肌腱袖
  膝关节
    半月板：内 C 外 O
    前交叉韧带 ACL
    后交叉韧带 PCL
  髋关节
  踝关节与足弓
肌学
  背肌浅层
  膈：三个裂孔
    主动脉裂孔 T12
    食管裂孔 T10
    腔静脉孔 T8
  腹股沟管：四壁两口
  股三角
内脏学
  消化系统
    食管三个狭窄
    胃的分部与血供
    肝门（porta hepatis）与肝蒂
    胆囊三角 Calot
  呼吸系统
    左右主支气管的区别
    肺段
  泌尿系统
    肾的被膜
    输尿管三个狭窄
  生殖系统
脉管学
  心
    心腔结构
      右心房：卵圆窝、冠状窦口
      右心室：隔缘肉柱
      左心房
      左心室：室壁最厚
    传导系统：SA → AV → His → Purkinje
    冠状动脉
      前室间支 LAD：「寡妇制造者」
      旋支
      右冠状动脉
  主动脉弓的三大分支
  门静脉系
    门腔静脉吻合（四处）
  淋巴导管
神经系统
  脊髓横切面
    后索：薄束、楔束
    脊髓丘脑束
    皮质脊髓束
  脑干
    十二对脑神经 🧠
      I 嗅 · II 视 · III 动眼
      IV 滑车 · V 三叉 · VI 展
      VII 面 · VIII 前庭蜗
      IX 舌咽 · X 迷走 · XI 副 · XII 舌下
  小脑
  间脑
  端脑
    内囊：膝部与后肢
    语言中枢：Broca / Wernicke
  脑脊液循环
感觉器
  眼球壁三层
  中耳鼓室六壁
内分泌系统`

const calculus = `Sequences and series
  Convergence tests
    Divergence test: if lim aₙ ≠ 0 the series diverges
    Integral test
    Comparison and limit comparison
    Ratio test: L < 1 converges absolutely
    Root test
    Alternating series (Leibniz)
  Power series
    Radius of convergence
    Taylor: eˣ, sin x, cos x, ln(1+x)
    Error term (Lagrange)
Techniques of integration
  Integration by parts: LIATE
  Trigonometric substitution
    √(a² − x²) → x = a sin θ
    √(a² + x²) → x = a tan θ
  Partial fractions
  Improper integrals
    p-test: ∫₁^∞ x⁻ᵖ dx
Vectors and geometry
  Dot product, projection
  Cross product and area
  Lines and planes in ℝ³
Partial derivatives
  Clairaut: fₓᵧ = fᵧₓ when continuous
  Chain rule (tree diagram)
  Gradient ⟂ level curves
  Lagrange multipliers
    Why ∇f = λ∇g — picture!
    Two constraints
  Second derivative test
Multiple integrals
  Fubini
  Polar: dA = r dr dθ
  Cylindrical and spherical
    Jacobian ρ² sin φ
  Change of variables
Vector calculus
  Line integrals
  Conservative fields
  Green's theorem
  Divergence and curl
  Stokes' theorem
  Divergence theorem (Gauss)
Exam traps
  "Forgot + C" again
  f(x) < g(x) && x > 0 does not mean what you think
  <b>not bold</b> — a title that looks like HTML
  A very long title to see what happens when somebody pastes the whole statement of a theorem into the title of a card: if f is continuous on the closed interval [a, b] and differentiable on the open interval (a, b), then there is a c in (a, b) with f′(c) = (f(b) − f(a)) / (b − a)`

const law = `基本规定
  民法的调整对象
  基本原则
    平等
    自愿
    公平
    诚信：「帝王条款」
    公序良俗
    绿色原则
自然人
  民事权利能力
    胎儿利益保护（第16条）
  民事行为能力
    八周岁
    十六周岁以自己劳动收入为主要生活来源
  监护
    法定监护顺序
    意定监护
  宣告失踪与宣告死亡
    两年 / 四年 / 意外事件两年
    被撤销后的财产返还
法人
  营利法人
  非营利法人
  特别法人
民事权利
  人格权
  物权
  债权
    合同、侵权、无因管理、不当得利
  知识产权
  数据、网络虚拟财产（第127条）
民事法律行为
  意思表示
    到达主义与发出主义
    默示与沉默
  效力
    有效要件
    无效
      虚假表示（通谋）
      违反强制性规定
      违背公序良俗
      恶意串通
    可撤销
      重大误解
      欺诈：第三人欺诈
      胁迫
      显失公平
    效力待定
  附条件与附期限
代理
  委托代理
  无权代理
  表见代理：权利外观 + 善意无过失
诉讼时效
  普通三年，最长二十年
  中止与中断
  不适用诉讼时效的请求权
期间计算`

const literature = `Tang poetry 唐诗
  李白
    将进酒：君不见黄河之水天上来
    蜀道难
    静夜思
  杜甫
    春望：国破山河在
    登高 — "the greatest regulated verse"
    茅屋为秋风所破歌
  王维
    鹿柴
    山居秋暝
  白居易
    长恨歌
    琵琶行
  李商隐
    锦瑟：此情可待成追忆
Song lyrics 宋词
  苏轼
    水调歌头·明月几时有
    念奴娇·赤壁怀古
  李清照
    声声慢：寻寻觅觅
    如梦令
  辛弃疾
    青玉案·元夕
Romanticism
  Wordsworth: "emotion recollected in tranquillity"
  Coleridge, The Rime of the Ancient Mariner
    The albatross as burden
  Keats
    Negative capability
    Ode to a Nightingale
  Shelley, Ozymandias
Modernism
  Eliot, The Waste Land
    I. The Burial of the Dead
    V. What the Thunder Said
  Woolf
    Mrs Dalloway — one day in June
    To the Lighthouse
  Joyce
    Ulysses, episode 18 (no punctuation!)
Terms
  iambic pentameter
  enjambement
  对仗与平仄
  意象 imagery
  ‏كلمات عربية — a right-to-left title
  free indirect discourse`

const chemistry = `Structure and bonding
  Hybridisation: sp, sp², sp³
  Resonance: arrows move electrons, not atoms
  Formal charge
Stereochemistry
  R/S assignment
    Lowest priority to the back!
  Enantiomers and diastereomers
  Meso compounds
  Newman projections
Substitution and elimination
  SN1: carbocation, racemisation
  SN2: backside attack, inversion
  E1 / E2
    Zaitsev and Hofmann
    Anti-periplanar
  Which one wins? (table)
Alkenes
  Markovnikov addition
  Hydroboration: anti-Markovnikov, syn
  Ozonolysis
  Epoxidation (mCPBA)
Aromatics
  Hückel 4n + 2
  Electrophilic substitution
    Nitration HNO₃/H₂SO₄
    Friedel–Crafts
    o/p and m directors
Carbonyls
  Grignard
  Acetals as protecting groups
  Aldol condensation
  Claisen
  Wittig
Acids and derivatives
  Reactivity: acyl chloride > anhydride > ester > amide
  Fischer esterification
  Saponification
Spectroscopy
  ¹H NMR
    Chemical shift table
    n + 1 rule
  ¹³C NMR
  IR: C=O near 1715 cm⁻¹
  Mass spectrometry: McLafferty`

const japanese = `文法 N2
  〜わけにはいかない
  〜に越したことはない
  〜ざるを得ない
  〜つつある
  〜にもかかわらず
  〜を問わず
  〜次第（しだい）
    次第で / 次第だ
  〜ものの
  〜あげく
漢字
  訓読みと音読み
  同音異義語
    期間・機関・器官・帰還
    対象・対照・対称
語彙
  擬音語・擬態語
    わくわく
    うんざり
    ぎりぎり
  慣用句
    猫の手も借りたい
    腑に落ちない
敬語
  尊敬語
  謙譲語 I・II
  丁寧語
聴解
  即時応答
  統合理解
読解
  主張理解（長文）
  情報検索
間違いノート
  自動詞と他動詞
  「は」と「が」`

export const setOutlines: readonly SetOutline[] = [
  {
    title: '系统解剖学 Systematic Anatomy',
    documents: [
      { title: '系统解剖学（第九版）.pdf', pages: 64 },
      { title: "Gray's Anatomy for Students — excerpts.pdf", pages: 40 },
    ],
    outline: anatomy,
  },
  {
    title: 'Calculus II',
    documents: [
      { title: 'Lecture notes week 1–12.pdf', pages: 48 },
      { title: 'Problem sheets.pdf', pages: 24 },
    ],
    outline: calculus,
  },
  { title: '民法总论', documents: [{ title: '民法典总则编 条文与注释.pdf', pages: 52 }], outline: law },
  {
    title: '唐诗宋词 & English Literature',
    documents: [
      { title: 'The Norton Anthology (selection).pdf', pages: 36 },
      { title: '唐诗三百首.pdf', pages: 30, missing: true },
    ],
    outline: literature,
  },
  {
    title: 'Organic Chemistry',
    documents: [
      { title: 'Clayden ch. 1–12.pdf', pages: 44 },
      { title: 'Lab protocols.pdf', pages: 12 },
    ],
    outline: chemistry,
  },
  { title: '日本語 N2', documents: [{ title: '新完全マスター 文法 N2.pdf', pages: 28 }], outline: japanese },
]

/** Titles of cards below a topic, in English, Chinese and Japanese. */
export const followUpTitles = [
  ['Definition', '定义', '定義'],
  ['Why it matters', '为什么重要', 'なぜ大切か'],
  ['Typical mistake', '易错点', 'よくある間違い'],
  ['Example from the lecture', '课堂例子', '授業の例'],
  ['Ask in the tutorial!', '答疑时要问', '先生に聞く'],
  ['Past paper 2024 Q3', '2024 真题第 3 题', '過去問 2024'],
] as const

/** Sentences for the texts of pages and excerpts. */
export const sampleSentences = [
  'The result follows directly from the definition, but the converse does not hold in general.',
  '这一点在考试中经常出现，注意与前一节的概念区分。',
  'Compare the figure on the next page; the arrows show the direction of flow.',
  '临床上最常见的表现是疼痛和活动受限。',
  'Note that the order of the two operations matters here.',
  '法律行为成立而不生效的情形，应当结合具体规范判断。',
  'A good exercise is to redraw the diagram from memory.',
  '文の前後関係から、話し手の気持ちを考えてみましょう。',
  'The yield depends on temperature, solvent and the rate of addition.',
  '意象的叠加使时间与空间在一句之中并置。',
  'Hence the series converges absolutely for |x| < 1 and diverges for |x| > 1.',
  '所谓善意，是指相对人不知道且不应当知道行为人没有代理权。',
] as const
