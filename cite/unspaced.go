package cite

import (
	"strings"
)

// unspacedAxes are opposites in scripts that write no spaces, looked for in the text
// itself, and what denies there.
var (
	unspacedAxes = map[string][][2][]string{
		"zh": {
			{{"增加", "上升", "提高", "增长", "上涨", "升高", "扩大"}, {"减少", "下降", "降低", "下跌", "缩小", "下滑"}},
			{{"改善", "好转"}, {"恶化", "变差"}}, {{"允许", "批准", "准许"}, {"禁止", "拒绝"}}, {{"安全"}, {"危险"}},
			{{"开放", "开门", "营业"}, {"关闭", "关门", "停业"}}, {{"支持", "赞成"}, {"反对"}}, {{"成功"}, {"失败"}}, {{"胜利", "获胜"}, {"失利", "败给"}},
			{{"导致", "引起"}, {"防止", "预防", "避免"}}, {{"有罪"}, {"无罪"}}, {{"合法"}, {"非法", "违法"}}, {{"高于", "多于"}, {"低于", "少于"}},
		},
		"ja": {
			{{"増加", "上昇", "増え", "高ま", "拡大", "伸び", "上げ", "上が"}, {"減少", "低下", "下落", "減っ", "縮小", "下げ", "下が"}},
			{{"改善", "向上"}, {"悪化"}}, {{"許可", "認め", "承認"}, {"禁止", "却下", "拒否"}}, {{"安全"}, {"危険"}}, {{"開館", "営業", "開い"}, {"閉館", "休業", "閉ま"}},
			{{"賛成", "支持"}, {"反対"}}, {{"成功"}, {"失敗"}}, {{"勝利", "勝っ"}, {"敗北", "敗れ", "負け"}}, {{"引き起こ"}, {"防ぐ", "防止", "予防"}},
			{{"有罪"}, {"無罪"}}, {{"合法"}, {"違法"}},
		},
	}
	// notDenials have the signs of a denial in them and deny nothing.
	notDenials = map[string]*strings.Replacer{
		"zh": withoutWords("不仅 不但 不只 不光 不久 不断 不同 不少 不过 不得不 差不多 不管 不论 不超过 不到 不足 不低于 不高于 不少于 不多于 不锈钢"),
		"ja": withoutWords("かもしれない かもしれません かも知れない に違いない しかない なければならない だけでなく のみならず ではないか 少なく 間もなく 問題ない 少ない"),
	}
	unspacedDenials = map[string][]string{
		"zh": {"没有", "不是", "并非", "不会", "不能", "不再", "从未", "未能", "并不", "尚未", "不"},
		"ja": {"ない", "ません", "なかった", "なく", "ず、"},
	}
)

// withoutWords takes words out of a text.
func withoutWords(words string) *strings.Replacer {
	var pairs []string
	for word := range strings.FieldsSeq(words) {
		pairs = append(pairs, word, "")
	}
	return strings.NewReplacer(pairs...)
}

func containsAny(s string, words []string) string {
	for _, w := range words {
		if strings.Contains(s, w) {
			return w
		}
	}
	return ""
}
