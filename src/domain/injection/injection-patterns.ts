// Patterns that flag a text as a possible prompt injection; they match lower-case text with single spaces.

/** The text allowed between two parts: at most this many characters on one line, or a match of the expression. */
export type PatternGap = number | RegExp

/** One expression, or several with gaps between them. A single expression for all parts would backtrack too much. */
export type InjectionPattern =
  | readonly [RegExp]
  | readonly [RegExp, PatternGap, RegExp]
  | readonly [RegExp, PatternGap, RegExp, PatternGap, RegExp]

const FEW_WORDS = /^ (?:[\w'’,-]+ ){0,4}$/u
const LINK_LABEL = /^[^\]]*$/u
const LINK_ADDRESS = /^[^)\n]*$/u

export const INJECTION_PATTERNS: Readonly<Record<string, readonly InjectionPattern[]>> = {
  'asks to ignore instructions': [
    [
      /\b(?:ignor(?:e|ing)|disregard|forget|overrid(?:e|ing)|bypass|discard|do not (?:follow|obey)|don't (?:follow|obey)|stop (?:following|obeying))/gu,
      FEW_WORDS,
      /(?:previous|prior|above|earlier|preceding|foregoing|former|original|existing|initial|system|safety|your|all|any|other)/gu,
      FEW_WORDS,
      /(?:instructions?|prompts?|directives?|guidelines|guardrails|programming|rules|directions|commands|messages)\b/gu,
    ],
    [
      /\b(?:ignore|disregard|forget) (?:all |everything )?(?:of )?(?:the )?(?:text|content|everything|what(?: was| is|ever)?)(?: (?:that|was|is|has been|said|written|came|you were told|you have been told))*(?: (?:above|before|earlier|previously|prior))\b/gu,
    ],
    [
      /\b(?:new|updated|revised|real|actual|hidden|secret) (?:system )?(?:instructions?|prompt)s?(?: for (?:you|the (?:ai|assistant|model|chatbot)))? ?:/gu,
    ],
    [
      /\b(?:ignorier(?:e|en sie|t)?|vergiss|vergessen sie|missachte|missachten sie|verwirf|verwerfen sie)\b/gu,
      40,
      /\b(?:vorherig|bisherig|vorangegangen|vorangehend|obig|früher|alle|deine|ihre|vorstehend|obenstehend|ursprünglich)\w*/gu,
      30,
      /(?:anweisung|instruktion|vorgabe|regel|befehl|aufforderung|prompt)/gu,
    ],
    [
      /\b(?:ignore[rz]?|oublie[rz]?|ne (?:tiens|tenez) (?:pas|aucun) compte|(?:fais|faites) abstraction)\b/gu,
      40,
      /\b(?:instructions|consignes|directives|règles|ordres)\b/gu,
      20,
      /(?:précédent|antérieur|ci-dessus|préalable|initial)/gu,
    ],
    [
      /(?:^|[^\p{L}])(?:ignor[ae]n?|ignorar|olvid[ae]n?|olvidar|haz caso omiso|haga caso omiso|desatiende)(?=[^\p{L}])/gu,
      40,
      /(?:instrucciones|indicaciones|órdenes|reglas|directrices)/gu,
      20,
      /(?:anterior|previ|arriba|precedent|inicial)/gu,
    ],
    [
      /\b(?:ignora(?:re|te)?|dimentica(?:re|te)?|trascura(?:re|te)?)\b/gu,
      40,
      /\b(?:istruzioni|indicazioni|direttive|regole)\b/gu,
      20,
      /(?:precedent|anterior|sopra|inizial)/gu,
    ],
    [
      /(?:^|[^\p{L}])(?:ignor[ae]m?|ignorar|esqueça|esqueçam|esquece|esquecer|desconsider[ae]m?)(?=[^\p{L}])/gu,
      40,
      /(?:instruções|orientações|diretrizes|regras|comandos)/gu,
      20,
      /(?:anterior|prévi|acima|precedent|inicia)/gu,
    ],
    [
      /\b(?:negeer|vergeet)\b/gu,
      30,
      /\b(?:vorige|eerdere|voorgaande|bovenstaande|alle|je)\b/gu,
      30,
      /(?:instructies|aanwijzingen|opdrachten|regels)/gu,
    ],
    [
      /\b(?:ignorera|bortse från|glöm)\b/gu,
      30,
      /\b(?:tidigare|föregående|ovanstående|alla|dina)(?=[^\p{L}])/gu,
      25,
      /(?:instruktion|anvisning|regler|prompt)/gu,
    ],
    [
      /\b(?:ignor[eé]r|se bort fra|glem)\b/gu,
      30,
      /\b(?:tidligere|foregående|forrige|ovenstående|alle|dine)\b/gu,
      25,
      /(?:instruktion|instruks|anvisning|regler)/gu,
    ],
    [
      /(?:^|[^\p{L}])(?:zignoruj|ignoruj|zapomnij|pomiń)(?:cie)?(?=[^\p{L}])/gu,
      30,
      /(?:poprzedni|wcześniejsz|powyższ|wszystki|dotychczasow)/gu,
      30,
      /(?:instrukcj|polece|wytyczn|zasad)/gu,
    ],
    [
      /(?:^|[^\p{L}])(?:ignoruj|zapomeň)(?:te)?(?=[^\p{L}])/gu,
      30,
      /(?:předchozí|všechny|výše|dosavadní)/gu,
      25,
      /(?:pokyn|instrukc|pravidl|příkaz)/gu,
    ],
    [
      /(?:игнорируй|забудь|не обращай|не следуй|отмени)(?:те)?(?=[^\p{L}])/gu,
      40,
      /(?:предыдущ|прежни|вышеуказанн|вышеизложенн|все|предшеству|сво)/gu,
      30,
      /(?:инструкц|указани|правил|команд)/gu,
    ],
    [
      /(?:ігноруй|забудь|не звертай)(?:те)?(?=[^\p{L}])/gu,
      40,
      /(?:попередн|всі|усі|вищезазначен|вищенаведен)/gu,
      30,
      /(?:інструкц|вказівк|правил|команд)/gu,
    ],
    [
      /(?:önceki|yukarıdaki|tüm|bundan önceki)/gu,
      30,
      /(?:talimat|komut|kural|yönerge)/gu,
      40,
      /(?:yoksay|yok say|görmezden gel|unut|dikkate alma)/gu,
    ],
    [
      /(?:αγνόησε|αγνοήστε|ξέχασε|ξεχάστε)/gu,
      40,
      /(?:προηγούμεν|παραπάνω|όλες)/gu,
      30,
      /(?:οδηγίες|εντολές|κανόνες)/gu,
    ],
    [/(?:αγνόησε|αγνοήστε|ξέχασε|ξεχάστε)/gu, 40, /(?:οδηγίες|εντολές)/gu],
    [/(?:התעלם|התעלמי|התעלמו|שכח|שכחי|שכחו)/gu, 30, /(?:הוראות|ההוראות|הנחיות|ההנחיות|הכללים)/gu],
    [/(?:تجاهل|تجاهلي|تجاهلوا|انس[َى]?|تغاض)/gu, 25, /(?:التعليمات|الأوامر|التوجيهات|القواعد)/gu],
    [
      /(?:पिछले|पिछली|पूर्व|उपरोक्त|सभी|पहले के)/gu,
      20,
      /(?:निर्देश|आदेश|नियम)/gu,
      25,
      /(?:अनदेखा|अनदेखी|नजरअंदाज|नज़रअंदाज़|भूल|उपेक्षा)/gu,
    ],
    [
      /(?:bỏ qua|phớt lờ|hãy quên|quên)/gu,
      30,
      /(?:hướng dẫn|chỉ thị|chỉ dẫn|quy tắc|mệnh lệnh)/gu,
      20,
      /(?:trước|trên)/gu,
    ],
    [/(?:abaikan|lupakan)/gu, 30, /(?:instruksi|perintah|petunjuk|aturan)/gu, 20, /(?:sebelum|di atas|terdahulu)/gu],
    [
      /(?:忽略|无视|無視|忽視|忽视|忘记|忘記|忘掉|不要理会|不要理會|不要遵守|不要遵循)/gu,
      12,
      /(?:之前|以前|以上|上述|先前|前面|所有|一切|此前|上面|你的)/gu,
      12,
      /(?:指令|指示|命令|提示|规则|規則|说明|說明|要求)/gu,
    ],
    [
      /(?:以前|これまで|上記|以上|前の|すべて|全て|先ほど|今まで)/gu,
      14,
      /(?:指示|命令|指令|プロンプト|ルール|規則)/gu,
      8,
      /(?:無視|忘れ|破棄|従わない)/gu,
    ],
    [/(?:이전|위의|앞의|앞선|모든|지금까지)/gu, 14, /(?:지시|명령|지침|프롬프트|규칙)/gu, 14, /(?:무시|잊)/gu],
  ],
  'imitates chat message markup': [
    [
      /<\|(?:im_start|im_end|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text|channel)\|>/gu,
    ],
    [/<<sys>>|\[\/inst\]|<(?:start|end)_of_turn>|<\/?system(?:_prompt|-prompt|_message|-reminder)?>/gu],
    [/(?:^|\n) ?#{2,4} ?(?:system|instructions?|new instructions?|system prompt|system message) ?:? ?\n/gu],
    [
      /(?:^|\n) ?\W{0,3}(?:system|developer) ?\W{0,3}: ?(?:you|your|ignore|from now|override|the user|the assistant|always|never|new )/gu,
    ],
    [
      /\b(?:begin|end|start of|end of) (?:of )?(?:the )?(?:system prompt|system message|untrusted (?:data|content|document)|retrieved (?:documents?|context|passages))\b/gu,
    ],
    [/\bsystem (?:override|prompt override|command override)\b|\b(?:admin|developer|root) override ?:/gu],
  ],
  'imitates a tool call or its result': [
    [/<\/?(?:tool_calls?|tool_response|tool_result|tool_use|function_calls?|function_results?)(?:>| )|<invoke name=/gu],
    [/"(?:tool_calls|function_call|tool_call_id)" ?:/gu],
    [/"name" ?: ?"[\w.-]+" ?, ?"(?:arguments|parameters)" ?: ?(?:\{|"\{)/gu],
    [/\bto=functions\.|\bassistant to=/gu],
    [
      /\byou (?:must|should|have to|need to|will) (?:now |immediately |first |also )?(?:call|invoke|use|run|execute) (?:the )?[\w"'`.-]+ (?:tool|function|action|plugin)\b/gu,
      60,
      /\b(?:user|conversation|answer|respon|reply|send|question|arguments?)/gu,
    ],
  ],
  'asks to send data': [
    [
      /\b(?:send|post|forward|exfiltrate|transmit|leak|upload|e-?mail|submit|append|encode|embed|include|put)\b/gu,
      60,
      /\b(?:this conversation|the conversation|conversation history|chat history|chat log|system prompt|the user'?s (?:question|message|messages|data|e-?mail|query|input|secrets?)|previous messages|everything above|all (?:the )?(?:api keys|passwords|credentials|secrets|documents)|(?:your|any|their) (?:api keys?|passwords?|credentials|secrets|context))\b/gu,
      80,
      /(?:https?:|www\.|\burl\b|[\w.-]@|\bweb ?hook\b|\bimage\b|\bquery (?:string|parameter)\b)/gu,
    ],
    [
      /!\[/gu,
      LINK_LABEL,
      /\]\(https?:/gu,
      LINK_ADDRESS,
      /[?&][^)\n=?&]{1,60}= ?(?:<|\{|\[|%7b|%5b|\$|data_here|secret|your_)/gu,
    ],
    [
      /\b(?:reveal|print|output|repeat|recite|show me|display|tell me|disclose|leak)\b/gu,
      30,
      /\b(?:your|the) (?:system|initial|hidden|original|secret|confidential) (?:prompt|instructions?|message)\b/gu,
    ],
  ],
  'addresses the model': [
    [
      /\byou are (?:now|no longer) (?:in |running in |an? |the |bound by |restricted|acting as )?(?:dan\b|(?:developer|debug|god|admin|maintenance|jailbreak|unrestricted|sudo) mode|jailbroken|unrestricted|unfiltered|an? (?:different|evil|new|unrestricted) (?:ai|assistant|model|chatbot)|(?:ai|llm|assistant|chatbot|language model)\b|bound by|restricted by)/gu,
    ],
    [
      /\b(?:if you are|if you're|when you are) an? (?:ai|a\.i\.|artificial intelligence|llm|large language model|language model|chatbot|gpt)(?: (?:assistant|model|agent|system|bot))?(?: ?[,:;]| (?:and|or) (?:you|are)| reading| processing| summari| that (?:is )?(?:read|process|summari|answer)|, )/gu,
    ],
    [
      /\bas an ai (?:language model|assistant|model|agent)?,? ?you (?:must|should|will|are|have to|need to|may not|cannot)\b/gu,
    ],
    [
      /\b(?:attention|note|notice|message|instructions?|important|warning|hint)(?: to| for|,|:)?(?: any| all| the| every)? (?:ai|llm|gpt|chatgpt|claude|gemini|copilot|language models?)(?: (?:models?|assistants?|agents?|systems?|bots?|readers?|crawlers?|reading this|processing this))?s? ?[:,!.—–-]/gu,
    ],
    [
      /\b(?:do not|don't|never|without) (?:tell(?:ing)?|inform(?:ing)?|let(?:ting)?) the user (?:about (?:this|these|it)|that you|of this|know (?:about|that|you))/gu,
    ],
    [
      /\b(?:when|if|whenever|every time) (?:the user|a user|users|anyone|somebody|someone) asks?\b/gu,
      80,
      /\b(?:you must|always|you should|you will) (?:answer|say|respond|reply|recommend|tell|claim|state)\b/gu,
    ],
    [
      /\byour (?:new|real|true|only) (?:task|goal|objective|purpose|instructions?|mission|role) (?:is|are)\b/gu,
      120,
      /\b(?:user|assistant|model|ai|respond|answer|output|instructions?)\b/gu,
    ],
  ],
}
